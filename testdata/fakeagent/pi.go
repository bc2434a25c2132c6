package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
)

// pi plays pi 1.6.0 --mode rpc.
type pi struct{ e *engine }

func newPi(e *engine, args []string) *pi {
	id := flagOf(args, "--session-id")
	if id == "" {
		id = "fake-" + strconv.Itoa(os.Getpid())
	}
	for _, f := range []string{"--session", "--fork"} {
		if old := flagOf(args, f); old != "" {
			if filepath.Ext(old) == ".json" {
				old = filepath.Base(old[:len(old)-5])
			}
			s, ok := openSession(old, true)
			if !ok {
				fail("No session found matching '" + old + "'")
			}
			e.session = s
			if f == "--fork" {
				e.session = s.fork(old + "-fork")
			}
		}
	}
	if e.session == nil {
		e.session, _ = openSession(id, false)
	}
	return &pi{e}
}

func (p *pi) hear(line []byte) {
	var m struct{ ID, Type, Message, StreamingBehavior string }
	if json.Unmarshal(line, &m) != nil {
		say(object{"type": "response", "success": false, "error": "Failed to parse command"})
		return
	}
	answer := func(data object, failure string) {
		r := object{"type": "response", "command": m.Type, "success": failure == "", "id": m.ID}
		if failure != "" {
			r["error"] = failure
		} else if data != nil {
			r["data"] = data
		}
		say(r)
	}
	switch m.Type {
	case "get_state":
		answer(object{"sessionId": p.e.session.id, "sessionFile": sessionFile(p.e.session.id), "isStreaming": p.e.busy(), "model": object{"id": "fake-model", "provider": "fake"}}, "")
	case "prompt":
		switch {
		case p.e.prompt(m.Message, func() { answer(object{"disposition": "started"}, "") }):
		case m.StreamingBehavior != "":
			p.e.steer(m.ID, m.Message)
			answer(object{"disposition": "queued"}, "")
		default:
			answer(nil, "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.")
		}
	case "steer", "follow_up":
		p.e.steer(m.ID, m.Message)
		answer(object{"disposition": "queued"}, "")
	case "abort":
		p.e.abort()
		answer(nil, "")
	case "extension_ui_response":
		var r struct{ Confirmed bool }
		json.Unmarshal(line, &r)
		p.e.answers <- r.Confirmed
	default:
		answer(nil, "Unknown command: "+m.Type)
	}
}

func (p *pi) turnBegan() { say(object{"type": "agent_start"}); say(object{"type": "turn_start"}) }

func (p *pi) step(text string) {
	content := list()
	if text != "" {
		content = list(object{"type": "text", "text": text})
	}
	p.message(object{"role": "assistant", "content": content, "stopReason": "stop",
		"usage": object{"input": 60, "output": 20, "cacheRead": 40, "cacheWrite": 0, "totalTokens": 120, "cost": object{"total": 0.0001}}})
}

func (p *pi) message(m object) {
	say(object{"type": "message_start", "message": m})
	say(object{"type": "message_end", "message": m})
}

func (p *pi) toolBegan(id, command string) {
	say(object{"type": "tool_execution_start", "toolCallId": id, "toolName": "bash", "args": object{"command": command}})
}

func (p *pi) toolEnded(id, output string, failed bool) {
	say(object{"type": "tool_execution_end", "toolCallId": id, "toolName": "bash", "isError": failed, "result": object{"content": list(object{"type": "text", "text": output})}})
}

func (p *pi) ask(id, command string) {
	say(object{"type": "extension_ui_request", "id": id, "method": "confirm", "title": "Allow?", "message": command})
}

func (p *pi) steered(key string) {
	say(object{"type": "queue_update", "steering": list(), "followUp": list()})
}

func (p *pi) compacted() {
	say(object{"type": "compaction_start", "reason": "threshold"})
	say(object{"type": "compaction_end", "reason": "threshold", "result": object{"summary": "s"}, "aborted": false, "willRetry": false})
}

func (p *pi) ended(outcome, text, failure string) {
	if outcome == "failed" {
		p.message(object{"role": "assistant", "content": list(), "stopReason": "error", "errorMessage": failure})
	}
	if outcome == "interrupted" {
		p.message(object{"role": "assistant", "content": list(), "stopReason": "aborted"})
	}
	say(object{"type": "turn_end"})
	say(object{"type": "agent_end", "messages": list()})
	say(object{"type": "agent_settled", "aborted": outcome == "interrupted"})
}
