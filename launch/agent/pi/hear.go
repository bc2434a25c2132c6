package pi

import (
	"fmt"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// Hear takes one line of pi's stdout.
func (t *talk) Hear(data []byte) agent.Heard {
	var l line
	var h agent.Heard
	if !decode(data, &l) {
		return h
	}
	switch l.Type {
	case "response":
		t.response(&l, &h)
	case "agent_start":
		t.begin(&h)
	case "agent_end":
		t.over(&h)
	case "agent_settled":
		t.settles = true
		t.settle(l.Aborted, &h)
	case "queue_update":
		t.take(t.began.told(len(l.Steering)+len(l.FollowUp)), &h)
	case "message_update", "tool_execution_update":
		update(&l, &h)
	case "message_end":
		t.answered(&l, &h)
	case "tool_execution_start":
		add(&h, agent.Event{Type: agent.ToolBegan, ToolID: l.ToolID, Tool: l.Tool, Text: agent.Line(does(l.Args))})
	case "tool_execution_end":
		add(&h, agent.Event{Type: agent.ToolEnded, ToolID: l.ToolID, Tool: l.Tool, Failed: l.IsError, Text: agent.Tail(texts(l.Result.Content))})
	case "auto_retry_start", "summarization_retry_scheduled":
		t.begin(&h)
		add(&h, agent.Event{Type: agent.Retrying, Error: agent.Line(l.Retry)})
	case "compaction_end":
		t.use(l.Result.Usage, &h)
		if t.ending {
			t.over(&h)
		}
		switch {
		case l.Retry != "":
			add(&h, agent.Event{Type: agent.Notice, Text: agent.Line("compaction: " + l.Retry)})
		case !l.Aborted:
			add(&h, agent.Event{Type: agent.Compacted, Text: agent.CompactedWords})
		}
	case "extension_error":
		add(&h, agent.Event{Type: agent.Notice, Text: agent.Line("extension: " + l.Error)})
	case "extension_ui_request":
		t.ask(data, &h)
	}
	return h
}

func add(h *agent.Heard, e agent.Event) { h.Events = append(h.Events, e) }

func (t *talk) begin(h *agent.Heard) {
	t.ending = false
	if !t.working {
		t.working, t.text, t.reason, t.err = true, "", "", ""
		add(h, agent.Event{Type: agent.TurnBegan})
	}
}

// over follows the end of a run where pi may not say that it has settled: what
// comes before the answer belongs to what pi does by itself, say a retry.
func (t *talk) over(h *agent.Heard) {
	if t.settles {
		return
	}
	t.rounds++
	h.Say = append(h.Say, message(agent.Setup, command{ID: fmt.Sprintf("settled:%d", t.rounds), Type: "get_state"}))
	t.ending = true
}

// settle ends the turn. What still waits inside would wait for ever: it is
// taken back, and said again or refused (see taken).
func (t *talk) settle(aborted bool, h *agent.Heard) {
	e := agent.Event{Type: agent.TurnEnded, Outcome: agent.Completed, Text: t.text}
	switch {
	case aborted || t.reason == "aborted":
		e.Outcome, e.Text = agent.Interrupted, ""
	case t.reason == "error":
		e.Outcome, e.Text, e.Error = agent.Failed, "", t.err
		if e.Error == "" {
			e.Error = "the call of the model failed"
		}
	case t.reason == "length":
		e.Outcome, e.Error = agent.Failed, "the answer was cut off: it reached the model's output limit"
	}
	t.working, t.ending, t.aborting, t.asked = false, false, false, nil
	add(h, e)
	if t.left = append(t.left, t.began.clear()...); len(t.left) > 0 {
		t.rounds++
		key := "unqueue:again:"
		if e.Outcome == agent.Interrupted {
			key = "unqueue:refuse:"
		}
		h.Say = append(h.Say, message(agent.Setup, command{ID: fmt.Sprintf("%s%d", key, t.rounds), Type: "clear_queue"}))
	}
}

func (t *talk) take(keys []string, h *agent.Heard) {
	for _, key := range keys {
		add(h, agent.Event{Type: agent.Taken, Key: key})
	}
}

func (t *talk) use(u *usage, h *agent.Heard) {
	if u != nil && u.Input+u.Output+u.CacheRead+u.CacheWrite > 0 {
		add(h, agent.Event{Type: agent.Used, Usage: u.journal()})
	}
}

// answered takes a whole message. It is the model's answer or not for us. A
// call that failed and brought nothing is no sign of life: pi may try again.
func (t *talk) answered(l *line, h *agent.Heard) {
	m := &l.Message
	if m.Role != "assistant" {
		return
	}
	t.text, t.reason, t.err = texts(m.Content), m.StopReason, m.Error
	if m.StopReason != "error" && m.StopReason != "aborted" {
		add(h, agent.Event{Type: agent.Step})
	}
	t.use(m.Usage, h)
	if t.text != "" {
		add(h, agent.Event{Type: agent.Text, Text: t.text})
	}
}

// update takes a piece. What is no text for a reader is still a sign of life.
func update(l *line, h *agent.Heard) {
	switch u := &l.Update; u.Type {
	case "text_delta":
		add(h, agent.Event{Type: agent.TextDelta, Text: u.Delta})
	case "thinking_end":
		add(h, agent.Event{Type: agent.Thought, Text: u.Content})
	default:
		add(h, agent.Event{Type: agent.TextDelta})
	}
}

// ask takes what an extension wants. Some of it needs no answer.
func (t *talk) ask(data []byte, h *agent.Heard) {
	var r request
	if !decode(data, &r) {
		return
	}
	q := journal.Question{ID: r.ID, Text: strings.TrimSpace(r.Title + "\n" + r.Message)}
	switch r.Method {
	case "select":
		q.Kind, q.Options = agent.QuestionChoice, r.Options
	case "confirm":
		q.Kind = agent.QuestionPermission
	case "input", "editor":
		q.Kind, q.Text = agent.QuestionText, strings.TrimSpace(q.Text+"\n"+r.Prefill)
	case "notify":
		add(h, agent.Event{Type: agent.Notice, Text: agent.Line(r.Message)})
		return
	default:
		return
	}
	switch {
	case r.ID == "":
	case t.aborting:
		h.Say = append(h.Say, cancel(r.ID, "cancel::"+r.ID))
	default:
		t.asked = append(t.asked, r.ID)
		add(h, agent.Event{Type: agent.Asked, Question: &q})
	}
}
