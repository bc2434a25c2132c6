package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// Keys of messages of the talk's own.
const (
	keyInit  = "init:"
	keyFirst = "prompt:first"
)

// talk is the conversation with one process.
type talk struct {
	task        agent.Task
	session     string
	ready       bool
	working     bool
	interrupted bool // an interrupt was said and nothing has ended since

	exact   bool              // this version tells what becomes of each message
	took    bool              // the running turn took a message of ours
	pending []string          // keys of prompts and guidance that were not taken, in order
	keys    map[string]string // of every one, by the id it has on the wire
	asked   map[string]question
	models  []string
	behind  []string // what runs in the background
	step    string   // the answer that was heard last
	meter   meter
}

func newTalk(t agent.Task) *talk {
	return &talk{task: t, session: session(t), keys: map[string]string{}, asked: map[string]question{}}
}

// encode writes a line. All values are ours or were decoded before.
func encode(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("claude: encode %T: %v", v, err))
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

type object map[string]any

// control is a request of ours. The id comes back in its response.
func control(kind agent.Kind, key, subtype string) agent.Message {
	return agent.Message{Key: key, Kind: kind, Line: encode(object{
		"type": "control_request", "request_id": key, "request": object{"subtype": subtype},
	})}
}

// user is a message to the model. Its uuid comes back when it is taken.
func (t *talk) user(kind agent.Kind, key, text string) []agent.Message {
	return []agent.Message{{Key: key, Kind: kind, Line: encode(object{
		"type": "user", "uuid": messageID(t.task.RunID, key), "session_id": "", "parent_tool_use_id": nil,
		"message": object{"role": "user", "content": text},
	})}}
}

// Open asks for what there is; the answer says that claude is up.
func (t *talk) Open() []agent.Message {
	return []agent.Message{control(agent.Setup, keyInit, "initialize")}
}

// Begin says the task's prompt.
func (t *talk) Begin() []agent.Message { return t.user(agent.Prompt, keyFirst, t.task.Prompt) }

// Said takes note of a message that was given to claude.
func (t *talk) Said(key string, kind agent.Kind) {
	switch kind {
	case agent.Prompt, agent.Steer:
		t.keys[messageID(t.task.RunID, key)] = key
		t.pending = append(t.pending, key)
		if !t.working {
			t.interrupted = false // that one came when nothing ran
		}
	case agent.Interrupt:
		t.interrupted = true
	}
}

// Prompt encodes a prompt.
func (t *talk) Prompt(key, text string) ([]agent.Message, error) {
	return t.user(agent.Prompt, key, text), nil
}

// Steer encodes guidance: the same line, which a turn that runs takes in with
// the next result of a tool.
func (t *talk) Steer(key, text string) ([]agent.Message, error) {
	return t.user(agent.Steer, key, text), nil
}

// Interrupt ends the running turn.
func (t *talk) Interrupt(key string) ([]agent.Message, error) {
	return []agent.Message{control(agent.Interrupt, key, "interrupt")}, nil
}

// Answer answers what claude wants to be allowed or told.
func (t *talk) Answer(key string, q journal.Question, answer string) ([]agent.Message, error) {
	from := t.asked[q.ID]
	var response object
	switch {
	case answer == journal.PermissionDeny:
		response = object{"behavior": "deny", "message": "not allowed: " + q.Tool + " was denied by whoever runs this agent"}
	case q.Kind == agent.QuestionPermission && answer == journal.PermissionAllow:
		response = object{"behavior": "allow", "updatedInput": from.input}
	case q.Kind == agent.QuestionPermission:
		return nil, fmt.Errorf("the answer to %s is %s or %s", q.ID, journal.PermissionAllow, journal.PermissionDeny)
	case q.Kind == agent.QuestionChoice && !slices.Contains(q.Options, answer):
		return nil, fmt.Errorf("the answer to %s is one of %q", q.ID, q.Options)
	default:
		response = object{"behavior": "allow", "updatedInput": from.answered(answer)}
	}
	return []agent.Message{{Key: key, Kind: agent.Answer, Question: q.ID, Answer: answer, Line: encode(object{
		"type":     "control_response",
		"response": object{"subtype": "success", "request_id": q.ID, "response": response},
	})}}, nil
}

// refuse answers a request that we do not serve, so that nobody waits for it.
func refuse(id, subtype string) agent.Message {
	return agent.Message{Key: "refuse:" + id, Kind: agent.Setup, Line: encode(object{
		"type":     "control_response",
		"response": object{"subtype": "error", "request_id": id, "error": "not supported: " + subtype},
	})}
}
