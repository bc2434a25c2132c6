package pi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// Keys of messages of the talk's own.
const (
	keyInit   = "init:"
	keyModels = "models:"
	keyFirst  = "prompt:first"
)

// talk is the conversation with one process.
type talk struct {
	task    agent.Task
	working bool
	settles bool // this version says agent_settled
	ending  bool // a run is over; whether the turn is was asked (see over)

	began queue                 // messages that wait inside pi
	left  []string              // those that pi left there when it settled
	kinds map[string]agent.Kind // prompts and guidance without a response yet

	asked    []string // what extensions asked in this turn
	aborting bool     // an interrupt was said, and the turn has not ended yet

	text   string // of the last answer of the model
	reason string // why that answer ended
	err    string // and what went wrong
	wrong  string // the model we were given in place of the one asked for
	rounds int    // how often the end was asked after, or the queue taken back
	resend string // the key that carries what was taken back
}

func newTalk(t agent.Task) *talk {
	return &talk{task: t, settles: t.Version != "" && !old(t.Version), kinds: map[string]agent.Kind{}}
}

// command is a line for pi. The id comes back in its response.
type command struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Message   string `json:"message,omitempty"`
	Behaviour string `json:"streamingBehavior,omitempty"`
}

// reply answers a question; it has the question's id and gets no response.
type reply struct {
	ID        string  `json:"id"`
	Type      string  `json:"type"`
	Value     *string `json:"value,omitempty"`
	Confirmed *bool   `json:"confirmed,omitempty"`
	Cancelled bool    `json:"cancelled,omitempty"`
}

// encode writes a line. Strings and booleans can always be encoded.
func encode(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("pi: encode %T: %v", v, err))
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

func message(kind agent.Kind, c command) agent.Message {
	return agent.Message{Key: c.ID, Kind: kind, Line: encode(c)}
}

// Open asks for the state: pi has no banner, so the answer says that it is up.
func (t *talk) Open() []agent.Message {
	return []agent.Message{message(agent.Setup, command{ID: keyInit, Type: "get_state"})}
}

// Begin says the task's prompt.
func (t *talk) Begin() []agent.Message {
	return []agent.Message{prompt(agent.Prompt, keyFirst, t.task.Prompt)}
}

// prompt says a text in the way that is right whether pi is at work or not:
// it begins a run, or goes in before the next call of the model. A `steer`
// that comes when the run is just over would be accepted and left lying.
func prompt(kind agent.Kind, key, text string) agent.Message {
	return message(kind, command{ID: key, Type: "prompt", Message: text, Behaviour: "steer"})
}

// Said takes note of a message that was given to pi.
func (t *talk) Said(key string, kind agent.Kind) {
	switch kind {
	case agent.Prompt, agent.Steer:
		t.kinds[key] = kind
	case agent.Interrupt:
		t.aborting = t.working
	}
}

// Prompt encodes a prompt.
func (t *talk) Prompt(key, text string) ([]agent.Message, error) {
	return []agent.Message{prompt(agent.Prompt, key, text)}, nil
}

// Steer encodes guidance.
func (t *talk) Steer(key, text string) ([]agent.Message, error) {
	return []agent.Message{prompt(agent.Steer, key, text)}, nil
}

// Interrupt ends the running turn; what waits in the queue goes with it. An
// extension that asks something does not hear of it, and pi waits for the
// extension: so the questions are taken back, too.
func (t *talk) Interrupt(key string) ([]agent.Message, error) {
	all := []agent.Message{message(agent.Interrupt, command{ID: key, Type: "abort"})}
	for _, id := range t.asked {
		all = append(all, cancel(id, "cancel:"+key+":"+id))
	}
	return all, nil
}

// cancel dismisses a question. One that is answered already is ignored by pi.
func cancel(question, key string) agent.Message {
	line := encode(reply{ID: question, Type: "extension_ui_response", Cancelled: true})
	return agent.Message{Key: key, Kind: agent.Setup, Line: line}
}

// Answer answers what an extension asked.
func (t *talk) Answer(key string, q journal.Question, answer string) ([]agent.Message, error) {
	r := reply{ID: q.ID, Type: "extension_ui_response"}
	allow := answer == journal.PermissionAllow
	switch {
	case q.Kind == agent.QuestionPermission && (allow || answer == journal.PermissionDeny):
		r.Confirmed = &allow
	case q.Kind == agent.QuestionPermission:
		return nil, fmt.Errorf("the answer to %s is %s or %s", q.ID, journal.PermissionAllow, journal.PermissionDeny)
	case q.Kind == agent.QuestionChoice && slices.Contains(q.Options, answer):
		r.Value = &answer
	case answer == journal.PermissionDeny:
		r.Cancelled = true
	case q.Kind == agent.QuestionChoice:
		return nil, fmt.Errorf("the answer to %s is one of: %s", q.ID, strings.Join(q.Options, ", "))
	default:
		r.Value = &answer
	}
	return []agent.Message{{Key: key, Kind: agent.Answer, Line: encode(r), Question: q.ID, Answer: answer}}, nil
}
