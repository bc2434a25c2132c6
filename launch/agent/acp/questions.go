package acp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// answerCancelled is what a question is answered with when its turn ends.
const answerCancelled = "cancelled"

// request is a question that waits for an answer.
type request struct {
	id      json.RawMessage // as it was written: 0 is not "0"
	tool    string          // the tool call it is about
	options []option
}

// requested takes a request of the agent's.
func (t *talk) requested(id string, l line) agent.Heard {
	if l.Method != "session/request_permission" {
		return agent.Heard{Say: []agent.Message{{Key: "refuse:" + id, Kind: agent.Setup, Line: wire.Refuse(l.ID, l.Method)}}}
	}
	if t.cancelling || len(t.prompts) == 0 {
		return agent.Heard{Say: []agent.Message{cancelled(id, l.ID)}}
	}
	t.asked[id] = request{id: l.ID, tool: l.Params.ToolCall.ToolID, options: l.Params.Options}
	call := l.Params.ToolCall
	q := journal.Question{ID: id, Kind: agent.QuestionPermission, Tool: toolName(call), Text: call.does()}
	for _, o := range l.Params.Options {
		q.Options = append(q.Options, o.ID)
	}
	return agent.Heard{Events: append(t.tool(call), agent.Event{Type: agent.Asked, Question: &q})}
}

// Answer encodes the answer to a question: allow, deny, or one of the options
// that the agent gave.
func (t *talk) Answer(key string, q journal.Question, answer string) ([]agent.Message, error) {
	asked, ok := t.asked[q.ID]
	if !ok {
		return nil, fmt.Errorf("question %s is not one that was asked", q.ID)
	}
	chosen := asked.choose(answer)
	m := agent.Message{Key: key, Kind: agent.Answer, Question: q.ID, Answer: answer}
	switch {
	case chosen != "":
		m.Line = wire.Result(asked.id, outcomeOf(map[string]string{"outcome": "selected", "optionId": chosen}))
	case answer == journal.PermissionDeny:
		m.Line = wire.Result(asked.id, outcomeOf(map[string]string{"outcome": answerCancelled}))
	default:
		return nil, fmt.Errorf("answer %q: expected allow, deny, %s", answer, strings.Join(q.Options, ", "))
	}
	return []agent.Message{m}, nil
}

// choose finds the option for an answer: once rather than for ever.
func (r request) choose(answer string) string {
	var kinds []string
	switch answer {
	case journal.PermissionAllow:
		kinds = []string{"allow_once", "allow_always"}
	case journal.PermissionDeny:
		kinds = []string{"reject_once", "reject_always"}
	}
	for _, kind := range kinds {
		for _, o := range r.options {
			if o.Kind == kind {
				return o.ID
			}
		}
	}
	for _, o := range r.options {
		if o.ID == answer {
			return o.ID
		}
	}
	return ""
}

func outcomeOf(outcome any) any { return map[string]any{"outcome": outcome} }

func cancelled(question string, id json.RawMessage) agent.Message {
	return agent.Message{
		Key: "cancelled:" + question, Kind: agent.Answer, Line: wire.Result(id, outcomeOf(map[string]string{"outcome": answerCancelled})),
		Question: question, Answer: answerCancelled,
	}
}
