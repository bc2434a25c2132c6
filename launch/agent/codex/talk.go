package codex

import (
	"errors"
	"fmt"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/rpc"
)

// Keys of the protocol's own messages.
const (
	keyInit        = "init:"
	keyInitialized = "initialized:"
	keyThread      = "thread:"
	keyFirst       = "prompt:first"
)

type talk struct {
	task    agent.Task
	thread  string
	turn    string // the running one
	ended   string // the last one that ended
	failure string // the last that was told of the running turn

	said   map[string]agent.Kind
	totals map[string]tokens // by thread, what was told so far
	asked  map[string]question
	tools  map[string]bool // items that were begun and have not ended
}

// Open greets. The rest waits for the answer, which says that it is wanted.
func (t *talk) Open() []agent.Message {
	return []agent.Message{{Key: keyInit, Kind: agent.Setup, Line: wire.Request(keyInit, "initialize", map[string]any{
		"clientInfo":   map[string]string{"name": "agent-runs", "title": "agent-runs", "version": "1"},
		"capabilities": map[string]bool{"experimentalApi": true},
	})}}
}

// begin opens the thread, once the server has answered the greeting.
func (t *talk) begin() []agent.Message {
	approval, sandbox := policy(t.task.Permission)
	p := map[string]any{"cwd": t.task.Cwd, "approvalPolicy": approval, "sandbox": sandbox}
	provider, id := model(t.task.Model)
	set := func(name, value string) {
		if value != "" {
			p[name] = value
		}
	}
	set("model", id)
	set("modelProvider", provider)
	set("developerInstructions", t.task.SystemPrompt)
	method := "thread/start"
	if t.task.Context == journal.ContextResume || t.task.Context == journal.ContextFork {
		method = "thread/" + t.task.Context
		p["threadId"] = t.task.SessionID
		p["excludeTurns"] = true // they may be many
	}
	return []agent.Message{
		{Key: keyInitialized, Kind: agent.Setup, Line: wire.Notification("initialized", map[string]any{})},
		{Key: keyThread, Kind: agent.Setup, Line: wire.Request(keyThread, method, p)},
	}
}

// Begin returns the task's own prompt.
func (t *talk) Begin() []agent.Message {
	m, err := t.Prompt(keyFirst, t.task.Prompt)
	if err != nil {
		return nil // not before it is ready
	}
	return m
}

// Said takes note of a message that was given.
func (t *talk) Said(key string, kind agent.Kind) { t.said[key] = kind }

// Prompt begins a turn.
func (t *talk) Prompt(key, text string) ([]agent.Message, error) {
	switch {
	case t.thread == "":
		return nil, errors.New("codex is not ready yet")
	case t.turn != "":
		return nil, errors.New("a turn is running: steer it")
	}
	p := map[string]any{"threadId": t.thread, "input": input(text)}
	if t.task.Thinking != "" {
		p["effort"] = t.task.Thinking
	}
	return []agent.Message{{Key: key, Kind: agent.Prompt, Line: wire.Request(key, "turn/start", p)}}, nil
}

// Steer puts guidance into the running turn. The server refuses it when that
// turn has ended meanwhile.
func (t *talk) Steer(key, text string) ([]agent.Message, error) {
	switch {
	case t.turn == "" && t.beginning():
		return nil, agent.Later{Why: "the turn is only beginning and cannot be named yet: it is queued as the next prompt"}
	case t.turn == "":
		return nil, errors.New("no turn is running")
	}
	return []agent.Message{{Key: key, Kind: agent.Steer, Line: wire.Request(key, "turn/steer", map[string]any{
		"threadId": t.thread, "expectedTurnId": t.turn, "input": input(text),
	})}}, nil
}

// Interrupt ends the running turn and, after it, the command it has left.
func (t *talk) Interrupt(key string) ([]agent.Message, error) {
	switch {
	case t.turn == "" && t.beginning():
		return nil, errors.New("the turn is only beginning and cannot be named yet: try again")
	case t.turn == "":
		return nil, errors.New("no turn is running")
	}
	clean := key + ":clean"
	return []agent.Message{
		{Key: key, Kind: agent.Interrupt, Line: wire.Request(key, "turn/interrupt", map[string]any{"threadId": t.thread, "turnId": t.turn})},
		{Key: clean, Kind: agent.Setup, Line: wire.Request(clean, "thread/backgroundTerminals/clean", map[string]any{"threadId": t.thread})},
	}, nil
}

// beginning: a prompt was given and the server has not named its turn yet.
func (t *talk) beginning() bool {
	for _, kind := range t.said {
		if kind == agent.Prompt {
			return true
		}
	}
	return false
}

func input(text string) []any {
	return []any{map[string]any{"type": "text", "text": text, "text_elements": []any{}}}
}

// Hear takes one line.
func (t *talk) Hear(raw []byte) agent.Heard {
	var l line
	if !rpc.Decode(raw, &l) {
		return agent.Heard{}
	}
	switch key := rpc.Key(l.ID); {
	case key == "" && l.Method != "":
		return agent.Heard{Events: t.notified(l.Method, l.Params)}
	case key != "" && l.Method != "":
		return t.requested(key, l)
	case key != "":
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
	failed := l.Error.String()
	switch {
	case key == keyInit || key == keyThread:
		return t.opened(key, l.Result, failed)
	case kind == agent.Prompt && failed != "":
		return agent.Heard{Events: t.promptRefused(key, failed)}
	case kind == agent.Prompt:
		return agent.Heard{Events: append([]agent.Event{{Type: agent.Taken, Key: key}}, t.turnBegan(l.Result.Turn.ID)...)}
	case kind == agent.Steer && failed != "":
		return agent.Heard{Events: []agent.Event{{Type: agent.Refused, Key: key, Error: failed, Stale: tooLate(l.Error)}}}
	case kind == agent.Steer:
		return agent.Heard{Events: []agent.Event{{Type: agent.Taken, Key: key}}}
	case failed != "":
		return agent.Heard{Events: []agent.Event{{Type: agent.Notice, Text: fmt.Sprintf("%s refused: %s", kind, failed)}}}
	}
	return agent.Heard{}
}

// opened takes the answers to the greeting and to the thread.
func (t *talk) opened(key string, r result, failed string) agent.Heard {
	if failed != "" {
		return agent.Heard{Events: []agent.Event{{Type: agent.Fatal, Error: failed}}}
	}
	if key == keyInit {
		return agent.Heard{Say: t.begin()}
	}
	t.thread = r.Thread.ID
	e := agent.Event{Type: agent.Ready, Session: r.Thread.ID, File: r.Thread.Path, Model: r.Model}
	if _, want := model(t.task.Model); want != "" && r.Model != "" && r.Model != want {
		e.Type, e.Error = agent.Fatal, fmt.Sprintf("asked for model %s, codex took %s", want, r.Model)
	}
	if t.thread == "" {
		e.Type, e.Error = agent.Fatal, "codex opened no thread"
	}
	return agent.Heard{Events: []agent.Event{e}}
}

// promptRefused ends what never began, for nothing else will be heard of it.
func (t *talk) promptRefused(key, failed string) []agent.Event {
	events := []agent.Event{{Type: agent.Refused, Key: key, Error: failed}}
	if key == keyFirst {
		events = append(events, agent.Event{Type: agent.TurnEnded, Outcome: agent.Failed, Error: failed})
	}
	return events
}
