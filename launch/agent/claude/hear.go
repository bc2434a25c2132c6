package claude

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/launch/agent"
)

// Hear takes one line of claude's stdout.
func (t *talk) Hear(data []byte) agent.Heard {
	var l line
	var h agent.Heard
	if !decode(data, &l) {
		return h
	}
	switch l.Type {
	case "system":
		t.system(&l, &h)
	case "command_lifecycle":
		t.lifecycle(&l, &h)
	case "assistant":
		t.assistant(&l, &h)
	case "stream_event":
		t.stream(&l, &h)
	case "user":
		t.toModel(&l, &h)
	case "result":
		t.result(&l, &h)
	case "control_response":
		t.response(&l, &h)
	case "control_request":
		t.request(&l, &h)
	case "control_cancel_request":
		t.withdraw(l.RequestID, &h)
	}
	return h
}

func add(h *agent.Heard, e agent.Event) { h.Events = append(h.Events, e) }

func (t *talk) begin(h *agent.Heard) {
	if !t.working {
		t.working, t.took = true, false
		add(h, agent.Event{Type: agent.TurnBegan})
	}
}

func (t *talk) system(l *line, h *agent.Heard) {
	switch l.Subtype {
	case "init":
		add(h, agent.Event{Type: agent.Session, Session: l.Session, Model: l.Model})
		t.begin(h)
	case "background_tasks_changed":
		t.behind = nil
		for _, task := range l.Tasks {
			t.behind = append(t.behind, task.Description)
		}
	case "compact_boundary":
		add(h, agent.Event{Type: agent.Compacted, Text: agent.CompactedWords})
	case "api_retry":
		status := ""
		if l.Status != 0 {
			status = fmt.Sprintf("%d ", l.Status)
		}
		add(h, agent.Event{Type: agent.Retrying, Error: fmt.Sprintf("%s%s (attempt %d of %d)", status, l.Error, l.Attempt, l.MaxRetries)})
	}
}

// lifecycle tells what becomes of a message, in newer versions.
func (t *talk) lifecycle(l *line, h *agent.Heard) {
	key := t.keys[l.Command]
	t.exact = true
	switch l.State {
	case "started":
		t.taken(key, h)
	case "completed":
		t.drained(key, h)
	case "cancelled":
		if t.drop(key) {
			add(h, agent.Event{Type: agent.Refused, Key: key, Stale: true, Error: "claude cancelled it before it was read"})
		}
	}
}

// taken takes note that a message of ours has reached the model. The turn
// that it began may be told of only later, and until then nothing must look
// as if all were done.
func (t *talk) taken(key string, h *agent.Heard) {
	if slices.Contains(t.pending, key) {
		t.begin(h)
	}
	t.drained(key, h)
}

// drained takes note that nothing more comes of a message of ours.
func (t *talk) drained(key string, h *agent.Heard) {
	if t.drop(key) {
		t.took = true
		add(h, agent.Event{Type: agent.Taken, Key: key})
	}
}

// drop reports whether the key was pending.
func (t *talk) drop(key string) bool {
	i := slices.Index(t.pending, key)
	if i >= 0 {
		t.pending = slices.Delete(t.pending, i, i+1)
	}
	return i >= 0
}

// assistant takes a block of an answer: every block comes in a line of its own
// and has the whole answer's id. What a subagent says is not the agent's text.
func (t *talk) assistant(l *line, h *agent.Heard) {
	m := &l.Message
	if m.Model == "<synthetic>" {
		return // claude's own words about an error, which the result repeats
	}
	t.begin(h)
	if l.Parent == "" {
		if m.ID == "" || m.ID != t.step {
			t.step = m.ID
			add(h, agent.Event{Type: agent.Step})
		}
		t.count(m.ID, m.Usage, h)
	}
	for _, block := range m.blocks() {
		switch text(block, "type") {
		case "text":
			if l.Parent == "" {
				add(h, agent.Event{Type: agent.Text, Text: text(block, "text")})
			}
		case "thinking":
			if l.Parent == "" {
				add(h, agent.Event{Type: agent.Thought, Text: text(block, "thinking")})
			}
		case "tool_use":
			input, _ := block["input"].(map[string]any)
			add(h, agent.Event{Type: agent.ToolBegan, ToolID: text(block, "id"), Tool: text(block, "name"), Text: does(input)})
		}
	}
}

// count takes a count of an answer.
func (t *talk) count(message string, u *tokens, h *agent.Heard) {
	if more := t.meter.see(message, u); more != nil {
		add(h, agent.Event{Type: agent.Used, Usage: more})
	}
}

// stream takes a piece of an answer as it comes.
func (t *talk) stream(l *line, h *agent.Heard) {
	if l.Parent != "" {
		return
	}
	switch e := &l.Event; e.Type {
	case "message_start":
		t.begin(h)
		t.count(e.Message.ID, e.Message.Usage, h)
	case "message_delta":
		t.count("", e.Usage, h)
	case "content_block_delta": // what has no text, say a thought, is still a sign of life
		add(h, agent.Event{Type: agent.TextDelta, Text: e.Delta.Text})
	}
}

// toModel takes what goes to the model: results of tools, and our own
// messages when they are taken in.
func (t *talk) toModel(l *line, h *agent.Heard) {
	if l.Replay {
		key, ours := t.keys[l.UUID]
		if !ours && len(t.pending) > 0 {
			key = t.pending[0] // a version that gives them names of its own
		}
		t.taken(key, h)
		return
	}
	for _, block := range l.Message.blocks() {
		if text(block, "type") == "tool_result" {
			failed, _ := block["is_error"].(bool)
			add(h, agent.Event{Type: agent.ToolEnded, ToolID: text(block, "tool_use_id"), Failed: failed, Text: agent.Tail(output(block["content"]))})
		}
	}
}

// output is the text of a tool's result: a text, or blocks of it.
func output(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	var all []string
	b := body{Content: content}
	for _, block := range b.blocks() {
		all = append(all, text(block, "text"))
	}
	return strings.Join(all, "\n")
}
