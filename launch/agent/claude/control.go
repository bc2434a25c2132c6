package claude

import (
	"strings"

	"github.com/agent-runs/agent-runs/launch/agent"
)

// response takes the answer to a request of ours. Answers of ours are echoed
// in the same form, under ids that are not ours.
func (t *talk) response(l *line, h *agent.Heard) {
	r := &l.Response
	if r.RequestID != keyInit || t.ready {
		return
	}
	if r.Subtype == "error" {
		add(h, agent.Event{Type: agent.Fatal, Error: agent.Line("claude does not come up: " + r.Error)})
		return
	}
	for _, m := range r.Response.Models {
		t.models = append(t.models, m.Value)
	}
	t.ready = true
	add(h, agent.Event{Type: agent.Ready, Session: t.session})
}

// request takes what claude wants of its host.
func (t *talk) request(l *line, h *agent.Heard) {
	if l.RequestID == "" {
		return
	}
	if l.Request.Subtype != "can_use_tool" {
		h.Say = append(h.Say, refuse(l.RequestID, l.Request.Subtype))
		return
	}
	q, from := ask(l.RequestID, l.Request.Tool, l.Request.Input)
	t.asked[q.ID] = from
	add(h, agent.Event{Type: agent.Asked, Question: &q})
}

func (t *talk) withdraw(id string, h *agent.Heard) {
	if _, known := t.asked[id]; known {
		delete(t.asked, id)
		q, _ := ask(id, "", nil)
		add(h, agent.Event{Type: agent.Withdrawn, Question: &q})
	}
}

// result takes the end of a turn. What decides is is_error, never the subtype:
// a failed call of the model is a "success" that is an error.
func (t *talk) result(l *line, h *agent.Heard) {
	e := agent.Event{Type: agent.TurnEnded, Outcome: agent.Completed, Text: l.Result}
	if l.IsError || strings.HasPrefix(l.Subtype, "error") {
		e = agent.Event{Type: agent.TurnEnded, Outcome: t.failure(l), Error: t.trouble(l)}
	}
	if e.Outcome == agent.Interrupted {
		e.Error = ""
	}
	for _, id := range l.Messages {
		t.drained(t.keys[id], h)
	}
	if !t.exact && !t.took && len(t.pending) > 0 {
		t.drained(t.pending[0], h) // a command like /cost, which is not echoed
	}
	if used := t.meter.end(&l.result); used != nil {
		add(h, agent.Event{Type: agent.Used, Usage: used})
	}
	if !t.ready {
		e = agent.Event{Type: agent.Fatal, Error: e.Error} // it leaves, say because there is no such session
	}
	add(h, e)
	if len(t.behind) > 0 {
		add(h, agent.Event{Type: agent.Notice, Text: agent.Line("still runs in the background: " + strings.Join(t.behind, "; "))})
	}
	t.working, t.interrupted = false, false
	clear(t.asked)
}

func (t *talk) failure(l *line) agent.Outcome {
	switch {
	case strings.HasPrefix(l.Subtype, "error_max_"):
		return agent.TurnLimit
	case l.Subtype == "error_during_execution" && (t.interrupted || strings.HasPrefix(l.Reason, "aborted")):
		return agent.Interrupted
	default:
		return agent.Failed
	}
}

// trouble is the error for a person, with claude's list of models where the
// server did not know the one that was asked for.
func (t *talk) trouble(l *line) string {
	text := l.Result
	if text == "" {
		text = strings.Join(l.Errors, "; ")
	}
	if text == "" {
		text = l.Subtype
	}
	if l.APIStatus == 404 && t.task.Model != "" && len(t.models) > 0 {
		text += "; claude has the models " + strings.Join(t.models, ", ")
	}
	return text
}
