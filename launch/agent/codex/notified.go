package codex

import (
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/rpc"
)

// notified takes a notification. Those of other threads, which are the
// agent's own helpers, count for the usage and end no turn of ours.
func (t *talk) notified(method string, p params) []agent.Event {
	switch method {
	case "thread/tokenUsage/updated":
		return t.used(p)
	case "serverRequest/resolved":
		return t.resolved(rpc.Key(p.RequestID))
	case "warning", "configWarning":
		return []agent.Event{{Type: agent.Notice, Text: p.Message + p.Summary}}
	}
	if p.ThreadID != t.thread || t.thread == "" {
		return nil
	}
	switch method {
	case "turn/started":
		return t.turnBegan(p.Turn.ID)
	case "turn/completed":
		return t.turnEnded(p.Turn)
	case "item/started":
		return t.itemBegan(p.Item)
	case "item/completed":
		return t.itemEnded(p.Item)
	case "item/agentMessage/delta":
		return []agent.Event{{Type: agent.TextDelta, Text: p.Delta}}
	case "error":
		return t.failed(p)
	case "model/rerouted":
		return []agent.Event{{Type: agent.Notice, Model: p.ToModel, Text: "codex changed the model from " + p.FromModel + " to " + p.ToModel}}
	}
	return nil
}

func (t *talk) turnBegan(id string) []agent.Event {
	if id == "" || id == t.turn || id == t.ended {
		return nil // the answer and the notification both tell of it
	}
	t.turn, t.failure = id, ""
	return []agent.Event{{Type: agent.TurnBegan}}
}

func (t *talk) turnEnded(turn turn) []agent.Event {
	e := agent.Event{Type: agent.TurnEnded, Outcome: agent.Failed, Error: turn.Error.text()}
	switch turn.Status {
	case "completed":
		e.Outcome = agent.Completed
	case "interrupted":
		e.Outcome = agent.Interrupted
	default:
		if e.Error == "" {
			e.Error = t.failure
		}
	}
	for _, i := range turn.Items {
		if i.Type == "agentMessage" && i.Text != "" {
			e.Text = i.Text
		}
	}
	t.turn, t.ended, t.failure = "", turn.ID, "" // a tool may end after its turn: its item tells of it then
	return []agent.Event{e}
}

// failed takes an error. One that is not tried again ends the turn, which
// turn/completed tells.
func (t *talk) failed(p params) []agent.Event {
	t.failure = p.Error.text()
	if p.WillRetry {
		return []agent.Event{{Type: agent.Retrying, Error: t.failure}}
	}
	return nil
}

func (t *talk) itemBegan(i item) []agent.Event {
	name, does := tool(i)
	if name == "" || t.tools[i.ID] {
		return nil
	}
	t.tools[i.ID] = true
	return []agent.Event{{Type: agent.ToolBegan, ToolID: i.ID, Tool: name, Text: agent.Line(does)}}
}

func (t *talk) itemEnded(i item) []agent.Event {
	switch i.Type {
	case "agentMessage", "plan":
		return []agent.Event{{Type: agent.Text, Text: i.Text}}
	case "reasoning":
		if text := strings.Join(append(i.Summary, i.Content...), "\n"); text != "" {
			return []agent.Event{{Type: agent.Thought, Text: text}}
		}
		return nil
	case "contextCompaction":
		return []agent.Event{{Type: agent.Compacted, Text: agent.CompactedWords}}
	}
	events := t.itemBegan(i) // where it only tells of the end
	if !t.tools[i.ID] {
		return nil
	}
	delete(t.tools, i.ID)
	text := i.Output
	if text == "" {
		text = i.Error.text()
	}
	return append(events, agent.Event{
		Type: agent.ToolEnded, ToolID: i.ID, Text: agent.Tail(text),
		Failed: i.Status == "failed" || i.Status == "declined" || i.ExitCode != nil && *i.ExitCode != 0 || i.Success != nil && !*i.Success,
	})
}

// tool is what a piece of a turn is called and does; no name: it is no tool.
func tool(i item) (name, does string) {
	switch i.Type {
	case "commandExecution":
		return "shell", i.Command
	case "fileChange":
		var paths []string
		for _, c := range i.Changes {
			paths = append(paths, c.Path)
		}
		return "apply_patch", strings.Join(paths, " ")
	case "mcpToolCall":
		return i.Server + "." + i.Tool, ""
	case "dynamicToolCall", "collabAgentToolCall":
		return i.Tool, i.Prompt
	case "webSearch":
		return "web_search", i.Query
	case "imageView":
		return "view_image", i.Path
	case "imageGeneration":
		return "image_generation", ""
	}
	return "", ""
}

// used turns the totals of a thread into differences. What is told of the
// resumed thread before a turn of ours is its past; where nothing was told,
// the last call alone is ours.
func (t *talk) used(p params) []agent.Event {
	now, last := p.Usage.Total, p.Usage.Last
	before, known := t.totals[p.ThreadID]
	t.totals[p.ThreadID] = now
	ours := p.ThreadID == t.thread
	old := ours && t.task.Context != journal.ContextFresh && t.task.Context != ""
	switch {
	case ours && t.turn == "" && t.ended == "":
		return nil
	case !known && old, now.Input < before.Input || now.Output < before.Output:
		now, before = last, tokens{}
	}
	if now == before {
		return nil // told again, with the limits of an account
	}
	u := journal.Usage{
		Input:      now.Input - before.Input - (now.Cached - before.Cached) - (now.CacheWrite - before.CacheWrite),
		Output:     now.Output - before.Output,
		CacheRead:  now.Cached - before.Cached,
		CacheWrite: now.CacheWrite - before.CacheWrite,
		Reasoning:  now.Reasoning - before.Reasoning,
	}
	u.Input = max(u.Input, 0)
	events := []agent.Event{{Type: agent.Used, Usage: &u}}
	if ours {
		events = append([]agent.Event{{Type: agent.Step}}, events...)
	}
	return events
}
