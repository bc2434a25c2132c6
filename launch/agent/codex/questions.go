package codex

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/rpc"
)

// question is a request of the server's that waits for an answer.
type question struct {
	id      json.RawMessage // as it was written: 0 is not "0"
	method  string
	granted json.RawMessage // what is asked for
	parts   []string        // ids of what it asks
}

// Requests of the server's that are questions.
const (
	askCommand = "item/commandExecution/requestApproval"
	askChange  = "item/fileChange/requestApproval"
	askGrant   = "item/permissions/requestApproval"
	askUser    = "item/tool/requestUserInput"
	askServer  = "mcpServer/elicitation/request"
)

// requested takes a request of the server's.
func (t *talk) requested(id string, l line) agent.Heard {
	p := l.Params
	q := journal.Question{ID: id, Kind: agent.QuestionPermission}
	asked := question{id: l.ID, method: l.Method, granted: p.Granted}
	switch l.Method {
	case askCommand:
		q.Tool, q.Text = "shell", p.Command
	case askChange:
		q.Tool, q.Text = "apply_patch", strings.TrimSpace("change files "+p.GrantRoot)
	case askGrant:
		q.Tool, q.Text = "permissions", string(p.Granted)
	case askServer:
		q.Tool, q.Text = p.ServerName, p.Message
	case askUser:
		q.Kind, q.Text = agent.QuestionText, ""
		for _, part := range p.Questions {
			asked.parts = append(asked.parts, part.ID)
			q.Text = strings.TrimSpace(q.Text + "\n" + part.Question)
		}
		if len(p.Questions) == 1 {
			for _, o := range p.Questions[0].Options {
				q.Kind, q.Options = agent.QuestionChoice, append(q.Options, o.Label)
			}
		}
	default:
		return agent.Heard{Say: []agent.Message{{Key: "refuse:" + id, Kind: agent.Setup, Line: wire.Refuse(l.ID, l.Method)}}}
	}
	if p.Reason != "" {
		q.Text = strings.TrimSpace(q.Text + "\n" + p.Reason)
	}
	t.asked[id] = asked
	return agent.Heard{Events: []agent.Event{{Type: agent.Asked, Question: &q}}}
}

// resolved: the question was answered, or its turn is over.
func (t *talk) resolved(id string) []agent.Event {
	if _, ok := t.asked[id]; !ok {
		return nil
	}
	delete(t.asked, id)
	return []agent.Event{{Type: agent.Withdrawn, Question: &journal.Question{ID: id}}}
}

// Answer encodes the answer to a question.
func (t *talk) Answer(key string, q journal.Question, answer string) ([]agent.Message, error) {
	asked, ok := t.asked[q.ID]
	if !ok {
		return nil, fmt.Errorf("codex does not wait for an answer to question %s", q.ID)
	}
	allow := answer == journal.PermissionAllow
	if q.Kind == agent.QuestionPermission && !allow && answer != journal.PermissionDeny {
		return nil, fmt.Errorf("answer %q: expected allow or deny", answer)
	}
	return []agent.Message{{
		Key: key, Kind: agent.Answer, Line: wire.Result(asked.id, asked.result(answer, allow)),
		Question: q.ID, Answer: answer,
	}}, nil
}

func (q question) result(answer string, allow bool) any {
	word := func(yes, no string) string {
		if allow {
			return yes
		}
		return no
	}
	switch q.method {
	case askGrant:
		granted := json.RawMessage("{}")
		if allow && rpc.Key(q.granted) != "" {
			granted = q.granted
		}
		return map[string]any{"permissions": granted, "scope": "turn"}
	case askServer:
		r := map[string]any{"action": word("accept", "decline")}
		if allow {
			r["content"] = map[string]any{}
		}
		return r
	case askUser:
		return map[string]any{"answers": q.answers(answer)}
	default:
		return map[string]any{"decision": word("accept", "decline")}
	}
}

// answers gives each part of a question its line, the last one all the rest.
// deny answers nothing.
func (q question) answers(answer string) map[string]any {
	all := map[string]any{}
	if answer == journal.PermissionDeny {
		return all
	}
	lines := strings.SplitN(answer, "\n", max(len(q.parts), 1))
	for i, id := range q.parts {
		if i < len(lines) {
			all[id] = map[string]any{"answers": []string{lines[i]}}
		}
	}
	return all
}

// tooLate: the turn that a steer was meant for has ended. The server has one
// code for all that is wrong with a request, so its words must tell.
func tooLate(e *rpc.Error) bool {
	return e != nil && (strings.Contains(e.Message, "no active turn") || strings.Contains(e.Message, "expected active turn"))
}
