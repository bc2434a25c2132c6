package main

import (
	"encoding/json"
	"os"
	"slices"
)

// claude plays Claude Code 2.1 -p with stream-json both ways.
type claude struct {
	e    *engine
	cost float64
	uuid map[string]json.RawMessage // lines of steers, to be replayed
}

func newClaude(e *engine, args []string) *claude {
	id := flagOf(args, "--session-id")
	if id == "" {
		id = "00000000-0000-4000-8000-000000000001"
	}
	c := &claude{e: e, uuid: map[string]json.RawMessage{}}
	old := flagOf(args, "--resume", "-r")
	if old == "" {
		e.session, _ = openSession(id, false)
		return c
	}
	s, ok := openSession(old, true)
	if !ok {
		say(object{"type": "result", "subtype": "error_during_execution", "is_error": true, "errors": list("No conversation found with session ID: " + old)})
		os.Exit(1)
	}
	e.session = s
	if slices.Contains(args, "--fork-session") {
		e.session = s.fork(id)
	}
	return c
}

func (c *claude) hear(line []byte) {
	var m struct {
		Type, UUID string
		RequestID  string `json:"request_id"`
		Request    struct{ Subtype string }
		Message    struct{ Content json.RawMessage }
		Response   struct{ Response struct{ Behavior string } }
	}
	if json.Unmarshal(line, &m) != nil {
		fail("Error parsing streaming input line")
	}
	switch m.Type {
	case "control_request":
		if m.Request.Subtype == "interrupt" {
			c.e.abort()
		}
		say(object{"type": "control_response", "response": object{"subtype": "success", "request_id": m.RequestID, "response": object{}}})
	case "control_response":
		c.e.answers <- m.Response.Response.Behavior == "allow"
	case "user":
		text := textOf(m.Message.Content)
		if c.e.prompt(text, func() { c.replay(line) }) {
			return
		}
		key := m.UUID
		c.uuid[key] = slices.Clone(line)
		c.e.steer(key, text)
	}
}

func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	json.Unmarshal(content, &parts)
	for _, p := range parts {
		text += p.Text
	}
	return text
}

func (c *claude) replay(line []byte) {
	var m object
	json.Unmarshal(line, &m)
	m["isReplay"], m["session_id"] = true, c.e.session.id
	say(m)
}

func (c *claude) turnBegan() {
	say(object{"type": "system", "subtype": "init", "session_id": c.e.session.id, "model": "fake-model", "cwd": "/", "tools": list("Bash"), "permissionMode": "default"})
}

func (c *claude) step(text string) {
	if text != "" {
		c.assistant(object{"type": "text", "text": text})
	}
}

func (c *claude) assistant(content object) {
	c.e.turns++
	say(object{"type": "assistant", "session_id": c.e.session.id, "message": object{"id": "msg_" + string(rune('a'+c.e.turns%26)), "role": "assistant", "content": list(content), "usage": object{"input_tokens": 60, "output_tokens": 1}}})
}

func (c *claude) toolBegan(id, command string) {
	c.assistant(object{"type": "tool_use", "id": id, "name": "Bash", "input": object{"command": command}})
}

func (c *claude) toolEnded(id, output string, failed bool) {
	say(object{"type": "user", "session_id": c.e.session.id, "message": object{"role": "user", "content": list(object{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed})}})
}

func (c *claude) ask(id, command string) {
	say(object{"type": "control_request", "request_id": id, "request": object{"subtype": "can_use_tool", "tool_name": "Bash", "input": object{"command": command}, "tool_use_id": "toolu_q"}})
}

func (c *claude) steered(key string) { c.replay(c.uuid[key]) }

func (c *claude) compacted() {
	say(object{"type": "system", "subtype": "compact_boundary", "session_id": c.e.session.id, "compact_metadata": object{"trigger": "auto", "pre_tokens": 1000}})
}

func (c *claude) ended(outcome, text, failure string) {
	c.cost += 0.0008
	r := object{"type": "result", "subtype": "success", "is_error": false, "session_id": c.e.session.id, "num_turns": 1, "result": text, "total_cost_usd": c.cost,
		"usage": object{"input_tokens": 60, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 0, "output_tokens": 20}, "permission_denials": list()}
	switch outcome {
	case "failed": // its subtype says success (measured)
		r["is_error"], r["result"], r["api_error_status"] = true, "API Error: "+failure, 401
	case "interrupted":
		delete(r, "result")
		r["subtype"], r["is_error"] = "error_during_execution", true
	}
	say(r)
}

func fail(text string) {
	os.Stderr.WriteString(text + "\n")
	os.Exit(1)
}
