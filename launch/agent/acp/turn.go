package acp

import (
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// stage is how far a tool call has come.
type stage int

const (
	announced stage = iota + 1
	begun
	over
)

// updated takes news of the session.
func (t *talk) updated(session string, u update) []agent.Event {
	if u.Kind == "usage_update" {
		return t.costs(u)
	}
	if session != t.session || len(t.prompts) == 0 {
		return nil
	}
	switch u.Kind {
	case "agent_message_chunk":
		text := u.Content.text()
		if text == "" {
			return nil
		}
		var events []agent.Event
		if u.MessageID != t.message && t.text.Len() > 0 { // a prompt that joined after the answer has begun is answered apart
			events = t.flush()
			t.answering = false
		}
		t.message = u.MessageID
		t.text.WriteString(text)
		return append(append(events, t.atWork()...), agent.Event{Type: agent.TextDelta, Text: text})
	case "agent_thought_chunk":
		return append(t.atWork(), agent.Event{Type: agent.Thought, Text: u.Content.text()})
	case "tool_call", "tool_call_update":
		for id, q := range t.asked {
			if q.tool == u.ToolID {
				delete(t.asked, id) // it has its answer
			}
		}
		return t.tool(u)
	}
	return nil
}

// atWork: the model answers, so the prompt has been taken.
func (t *talk) atWork() []agent.Event {
	var events []agent.Event
	if !t.taken {
		t.taken = true
		events = append(events, agent.Event{Type: agent.Taken, Key: t.prompts[0]}, agent.Event{Type: agent.TurnBegan})
	}
	if !t.answering {
		t.answering = true
		events = append(events, agent.Event{Type: agent.Step})
	}
	t.worked = true
	return events
}

// flush ends a message: a tool call has come, another message, or the end.
func (t *talk) flush() []agent.Event {
	text := t.text.String()
	t.text.Reset()
	if text == "" {
		return nil
	}
	return []agent.Event{{Type: agent.Text, Text: text}}
}

// tool takes news of a tool call. One that is pending may not know yet what it
// will do, so it has begun with the next news of it, or with the question.
func (t *talk) tool(u update) []agent.Event {
	var events []agent.Event
	if t.tools[u.ToolID] == 0 {
		events = append(t.atWork(), t.flush()...)
		t.tools[u.ToolID] = announced
		if u.Status == "pending" && u.Kind == "tool_call" {
			return events
		}
	}
	if t.tools[u.ToolID] == announced {
		t.tools[u.ToolID] = begun
		events = append(events, agent.Event{Type: agent.ToolBegan, ToolID: u.ToolID, Tool: toolName(u), Text: agent.Line(u.does())})
	}
	if t.tools[u.ToolID] == begun && (u.Status == "completed" || u.Status == "failed") {
		t.tools[u.ToolID], t.answering = over, false
		events = append(events, agent.Event{Type: agent.ToolEnded, ToolID: u.ToolID, Text: agent.Tail(u.output()), Failed: u.Status == "failed"})
	}
	return events
}

// toolName: the protocol names no tool, but what kind of thing it does.
func toolName(u update) string {
	if u.ToolKind == "" {
		return "other"
	}
	return u.ToolKind
}

func (u update) does() string {
	if u.RawInput.Command != "" {
		return u.RawInput.Command
	}
	return u.Title
}

func (u update) output() string {
	for _, text := range []string{u.RawOutput.Output, u.RawOutput.Error} {
		if text != "" {
			return text
		}
	}
	return u.Content.ending()
}

// turnEnded takes the answer to a prompt.
func (t *talk) turnEnded(key string, kind agent.Kind, l line) []agent.Event {
	var events []agent.Event
	if !t.taken || t.prompts[0] != key {
		events = append(events, agent.Event{Type: agent.Taken, Key: key}, agent.Event{Type: agent.TurnBegan})
	}
	events = append(events, t.flush()...)
	silent := !t.worked && kind == agent.Prompt
	events = append(events, t.used(l.Result)...)
	left := t.prompts[:0]
	for _, k := range t.prompts {
		if k != key {
			left = append(left, k)
		}
	}
	t.prompts, t.taken, t.answering, t.cancelling = left, false, false, false
	clear(t.asked)
	e := agent.Event{Type: agent.TurnEnded}
	if e.Outcome, e.Error = outcome(l); silent && e.Outcome == agent.Completed {
		e.Outcome, e.Error = agent.Failed, "the turn ended without an answer of the model"
	}
	return append(events, e)
}

func outcome(l line) (agent.Outcome, string) {
	if failed := l.Error.String(); failed != "" {
		return agent.Failed, failed
	}
	switch l.Result.StopReason {
	case "end_turn":
		return agent.Completed, ""
	case "cancelled":
		return agent.Interrupted, ""
	case "max_turn_requests":
		return agent.TurnLimit, "the agent's own limit of model calls is reached"
	case "max_tokens":
		return agent.Failed, "the answer was cut off at the model's limit of tokens"
	case "refusal":
		return agent.Failed, "the model refused to go on"
	default:
		return agent.Failed, "the turn ended with the unknown reason " + l.Result.StopReason
	}
}

// used takes the tokens that are told with the answer to a prompt.
func (t *talk) used(r result) []agent.Event {
	var u journal.Usage
	switch quota := r.Meta.Quota.Tokens; {
	case !t.worked:
		return nil // the same once more, for a prompt that had joined
	case r.Usage != nil:
		u = journal.Usage{Input: r.Usage.Input, Output: r.Usage.Output, CacheRead: r.Usage.CacheRead, CacheWrite: r.Usage.CacheWrite, Reasoning: r.Usage.Thought}
	default:
		u = journal.Usage{Input: quota.Input, Output: quota.Output}
	}
	t.worked = false
	if u == (journal.Usage{}) {
		return nil
	}
	return []agent.Event{{Type: agent.Used, Usage: &u}}
}

// costs turns the session's sum into a difference.
func (t *talk) costs(u update) []agent.Event {
	if u.Cost == nil || u.Cost.Currency != "USD" {
		return nil
	}
	now, before := u.Cost.Amount, t.cost
	t.cost = &now
	switch {
	case before == nil && resumes(t.task):
		return nil
	case before == nil:
		before = new(float64)
	case now <= *before:
		return nil // a turn that failed or cost nothing
	}
	spent := now - *before
	return []agent.Event{{Type: agent.Used, Usage: &journal.Usage{CostUSD: &spent}}}
}
