package acp

import (
	"errors"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/rpc"
)

// Keys of the protocol's own messages.
const (
	keyInit    = "init:"
	keySession = "session:"
	keyModel   = "model:"
	keyEffort  = "effort:"
	keyMode    = "mode:"
	keyFirst   = "prompt:first"
)

type talk struct {
	runtime  Runtime
	task     agent.Task
	model    string // that was asked for, as the agent calls it
	session  string
	ready    bool
	loaded   bool            // by session/load, which tells the history
	steering bool            // _session/steering is announced
	setup    []agent.Message // what is to be said, one after the other, before it is ready

	said       map[string]agent.Kind // and not answered yet
	prompts    []string              // keys of the prompts that wait for their answer, the oldest first
	taken      bool                  // the oldest has been taken
	cancelling bool

	text      strings.Builder // of the message that is coming in
	message   string          // its id, where the agent tells it
	answering bool            // an answer of the model is coming in
	worked    bool            // something has come since usage was told
	tools     map[string]stage
	asked     map[string]request
	cost      *float64 // of the session, as told last
}

// Open greets.
func (t *talk) Open() []agent.Message {
	return []agent.Message{{Key: keyInit, Kind: agent.Setup, Line: wire.Request(keyInit, "initialize", map[string]any{
		"protocolVersion": version,
		"clientCapabilities": map[string]any{
			"fs": map[string]bool{"readTextFile": false, "writeTextFile": false}, "terminal": false,
		},
		"clientInfo": map[string]string{"name": "agent-runs", "title": "agent-runs", "version": "1"},
	})}}
}

// Begin returns the task's own prompt.
func (t *talk) Begin() []agent.Message {
	return []agent.Message{t.prompt(keyFirst, agent.Prompt, t.task.Prompt)}
}

// Said takes note of a message that was given.
func (t *talk) Said(key string, kind agent.Kind) {
	switch kind {
	case agent.Prompt:
		t.said[key] = kind
		t.prompts = append(t.prompts, key)
	case agent.Steer:
		t.said[key] = kind
		if !t.steering {
			t.prompts = append(t.prompts, key)
		}
	case agent.Interrupt:
		t.cancelling = len(t.prompts) > 0
	case agent.Setup:
		t.said[key] = kind
	}
}

// Prompt begins a turn.
func (t *talk) Prompt(key, text string) ([]agent.Message, error) {
	switch {
	case !t.ready:
		return nil, errors.New(t.runtime.name + " is not ready yet")
	case len(t.prompts) > 0:
		return nil, errors.New("a turn is running: steer it")
	}
	return []agent.Message{t.prompt(key, agent.Prompt, text)}, nil
}

// Steer puts guidance into the running turn, where the agent can take it.
func (t *talk) Steer(key, text string) ([]agent.Message, error) {
	switch {
	case len(t.prompts) == 0:
		return nil, errors.New("no turn is running")
	case t.steering:
		return []agent.Message{{Key: key, Kind: agent.Steer, Line: wire.Request(key, "_session/steering", t.words(text))}}, nil
	case t.runtime.joins:
		return []agent.Message{t.prompt(key, agent.Steer, text)}, nil
	}
	return nil, agent.Later{Why: t.runtime.name + " takes no guidance into a running turn: it is queued as the next prompt"}
}

// Interrupt ends the running turn. Questions that are open must be answered
// with its end.
func (t *talk) Interrupt(key string) ([]agent.Message, error) {
	if len(t.prompts) == 0 {
		return nil, errors.New("no turn is running")
	}
	m := []agent.Message{{Key: key, Kind: agent.Interrupt, Line: wire.Notification("session/cancel", map[string]string{"sessionId": t.session})}}
	open := make([]string, 0, len(t.asked))
	for id := range t.asked {
		open = append(open, id)
	}
	slices.Sort(open)
	for _, id := range open {
		m = append(m, cancelled(id, t.asked[id].id))
	}
	return m, nil
}

func (t *talk) prompt(key string, kind agent.Kind, text string) agent.Message {
	return agent.Message{Key: key, Kind: kind, Line: wire.Request(key, "session/prompt", t.words(text))}
}

func (t *talk) words(text string) any {
	return map[string]any{"sessionId": t.session, "prompt": []any{map[string]string{"type": "text", "text": text}}}
}

// Hear takes one line.
func (t *talk) Hear(raw []byte) agent.Heard {
	var l line
	if !rpc.Decode(raw, &l) {
		return agent.Heard{}
	}
	switch key := rpc.Key(l.ID); {
	case key == "" && l.Method == "session/update":
		return agent.Heard{Events: t.updated(l.Params.SessionID, l.Params.Update)}
	case key != "" && l.Method != "":
		return t.requested(key, l)
	case key != "" && l.Method == "":
		return t.answered(key, l)
	}
	return agent.Heard{}
}

// answered takes the answer to a message of ours.
func (t *talk) answered(key string, l line) agent.Heard {
	kind, known := t.said[key]
	if !known {
		return agent.Heard{}
	}
	delete(t.said, key)
	switch {
	case slices.Contains(t.prompts, key):
		return agent.Heard{Events: t.turnEnded(key, kind, l)}
	case kind == agent.Steer:
		return agent.Heard{Events: t.steered(key, l)}
	default:
		return t.opened(key, l)
	}
}

// steered takes the answer to _session/steering.
func (t *talk) steered(key string, l line) []agent.Event {
	if failed := l.Error.String(); failed != "" {
		return []agent.Event{{Type: agent.Refused, Key: key, Error: failed, Stale: len(t.prompts) == 0}}
	}
	events := []agent.Event{{Type: agent.Taken, Key: key}}
	if l.Result.Outcome == "startedNewTurn" {
		events = append(events, agent.Event{Type: agent.Notice, Text: "the guidance came after the turn and began one of its own, whose end the protocol does not tell"})
	}
	return events
}

func resumes(t agent.Task) bool {
	return t.Context == journal.ContextResume || t.Context == journal.ContextFork
}
