package main

import (
	"encoding/json"
	"strings"
	"sync"
)

// acp plays an agent that speaks the Agent Client Protocol, as OpenCode does:
// a prompt during a turn joins it.
type acp struct {
	e  *engine
	mu sync.Mutex
	// open holds the ids of the prompts that wait for the turn's end.
	open []json.RawMessage
}

func newACP(e *engine) *acp { return &acp{e: e} }

func (a *acp) hear(line []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			SessionID string
			Prompt    []struct{ Text string }
		}
		Result struct {
			Outcome struct{ OptionID string }
		}
	}
	if json.Unmarshal(line, &m) != nil {
		return
	}
	result := func(r object) { say(object{"jsonrpc": "2.0", "id": m.ID, "result": r}) }
	switch m.Method {
	case "initialize":
		result(object{"protocolVersion": 1, "agentInfo": object{"name": "fake", "version": "1"}, "authMethods": list(),
			"agentCapabilities": object{"loadSession": true, "sessionCapabilities": object{"resume": object{}, "fork": object{}}}})
	case "session/new":
		a.e.session, _ = openSession("ses_fake", false)
		result(object{"sessionId": a.e.session.id})
	case "session/load", "session/resume", "session/fork":
		s, ok := openSession(m.Params.SessionID, true)
		if !ok {
			say(object{"jsonrpc": "2.0", "id": m.ID, "error": object{"code": -32602, "message": "Session not found"}})
			return
		}
		if m.Method == "session/fork" {
			s = s.fork(s.id + "-fork")
		}
		a.e.session = s
		result(object{"sessionId": s.id})
	case "session/prompt":
		a.mu.Lock()
		a.open = append(a.open, m.ID)
		a.mu.Unlock()
		text := ""
		for _, p := range m.Params.Prompt {
			text += p.Text
		}
		if !a.e.prompt(text) {
			a.e.steer(string(m.ID), text)
		}
	case "session/cancel":
		a.e.abort()
	case "":
		if m.Result.Outcome.OptionID != "" {
			a.e.answers <- strings.HasPrefix(m.Result.Outcome.OptionID, "allow")
		}
	}
}

func (a *acp) update(u object) {
	say(object{"jsonrpc": "2.0", "method": "session/update", "params": object{"sessionId": a.e.session.id, "update": u}})
}

func (a *acp) turnBegan() {}

func (a *acp) step(text string) {
	if text != "" {
		a.update(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": text}})
	}
}

func (a *acp) toolBegan(id, command string) {
	a.update(object{"sessionUpdate": "tool_call", "toolCallId": id, "title": command, "kind": "execute", "status": "pending"})
	a.update(object{"sessionUpdate": "tool_call_update", "toolCallId": id, "title": command, "kind": "execute", "status": "in_progress", "rawInput": object{"command": command}})
}

func (a *acp) toolEnded(id, output string, failed bool) {
	status := "completed"
	if failed {
		status = "failed"
	}
	a.update(object{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status, "content": list(object{"type": "content", "content": object{"type": "text", "text": output}})})
}

func (a *acp) ask(id, command string) {
	say(object{"jsonrpc": "2.0", "id": 7, "method": "session/request_permission", "params": object{"sessionId": a.e.session.id,
		"toolCall": object{"toolCallId": id, "title": command, "kind": "execute"},
		"options":  list(object{"optionId": "allow-once", "name": "Allow", "kind": "allow_once"}, object{"optionId": "reject-once", "name": "Reject", "kind": "reject_once"})}})
}

func (a *acp) steered(string) {}

func (a *acp) compacted() {} // the protocol has no word for it

func (a *acp) ended(outcome, text, failure string) {
	a.mu.Lock()
	open := a.open
	a.open = nil
	a.mu.Unlock()
	for _, id := range open {
		switch outcome {
		case "failed":
			say(object{"jsonrpc": "2.0", "id": id, "error": object{"code": -32603, "message": failure}})
		case "interrupted":
			say(object{"jsonrpc": "2.0", "id": id, "result": object{"stopReason": "cancelled"}})
		default:
			say(object{"jsonrpc": "2.0", "id": id, "result": object{"stopReason": "end_turn", "usage": object{"inputTokens": 60, "outputTokens": 20, "cachedReadTokens": 40, "totalTokens": 120}}})
		}
	}
}
