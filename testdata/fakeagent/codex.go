package main

import (
	"encoding/json"
	"fmt"
)

// codex plays Codex 0.171 app-server.
type codex struct {
	e      *engine
	turn   int
	item   int
	total  int
	thread string
}

func newCodex(e *engine) *codex { return &codex{e: e} }

func (c *codex) hear(line []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			ThreadID       string
			ExpectedTurnID string
			Input          []struct{ Text string }
		}
		Result struct{ Decision json.RawMessage }
	}
	if json.Unmarshal(line, &m) != nil {
		return
	}
	result := func(r object) { say(object{"id": m.ID, "result": r}) }
	refuse := func(text string) { say(object{"id": m.ID, "error": object{"code": -32600, "message": text}}) }
	text := ""
	for _, i := range m.Params.Input {
		text += i.Text
	}
	switch m.Method {
	case "initialize":
		result(object{"userAgent": "fake/0.171.0"})
	case "thread/start":
		c.begin("thread-fake", false, result, refuse)
	case "thread/resume":
		c.begin(m.Params.ThreadID, true, result, refuse)
	case "thread/fork":
		if s, ok := openSession(m.Params.ThreadID, true); ok {
			c.e.session = s.fork(m.Params.ThreadID + "-fork")
			c.open(result)
		} else {
			refuse("no rollout found for thread id " + m.Params.ThreadID)
		}
	case "turn/start":
		c.turn++
		result(object{"turn": object{"id": c.turnID(), "status": "inProgress", "items": list()}})
		c.e.prompt(text)
	case "turn/steer":
		switch {
		case !c.e.busy():
			refuse("no active turn to steer")
		case m.Params.ExpectedTurnID != c.turnID():
			refuse(fmt.Sprintf("expected active turn id `%s` but found `%s`", m.Params.ExpectedTurnID, c.turnID()))
		default:
			c.e.steer(string(m.ID), text)
			result(object{"turnId": c.turnID()})
		}
	case "turn/interrupt":
		c.e.abort()
		result(object{})
	case "thread/backgroundTerminals/clean":
		result(object{})
	case "":
		if m.Result.Decision != nil {
			c.e.answers <- string(m.Result.Decision) == `"accept"`
		}
	}
}

func (c *codex) begin(id string, goOn bool, result func(object), refuse func(string)) {
	s, ok := openSession(id, goOn)
	if !ok {
		refuse("no rollout found for thread id " + id)
		return
	}
	c.e.session = s
	c.open(result)
}

func (c *codex) open(result func(object)) {
	c.thread = c.e.session.id
	result(object{"thread": object{"id": c.thread, "path": sessionFile(c.thread)}, "model": "fake-model"})
}

func (c *codex) turnID() string { return fmt.Sprintf("turn-%d", c.turn) }

func (c *codex) note(method string, params object) {
	params["threadId"], params["turnId"] = c.thread, c.turnID()
	say(object{"method": method, "params": params})
}

func (c *codex) turnBegan() {
	c.note("turn/started", object{"turn": object{"id": c.turnID(), "status": "inProgress", "items": list()}})
}

func (c *codex) step(text string) {
	c.total += 120
	if text != "" {
		c.item++
		c.note("item/completed", object{"item": object{"type": "agentMessage", "id": fmt.Sprintf("msg_%d", c.item), "text": text}})
	}
	used := func(n int) object {
		return object{"totalTokens": n, "inputTokens": n * 100 / 120, "cachedInputTokens": n * 40 / 120, "outputTokens": n * 20 / 120, "reasoningOutputTokens": 0}
	}
	c.note("thread/tokenUsage/updated", object{"tokenUsage": object{"total": used(c.total), "last": used(120), "modelContextWindow": 258400}})
}

func (c *codex) toolBegan(id, command string) {
	c.note("item/started", object{"item": object{"type": "commandExecution", "id": id, "command": command, "status": "inProgress"}})
}

func (c *codex) toolEnded(id, output string, failed bool) {
	code := 0
	if failed {
		code = 1
	}
	c.note("item/completed", object{"item": object{"type": "commandExecution", "id": id, "command": "", "status": "completed", "aggregatedOutput": output, "exitCode": code}})
}

func (c *codex) ask(id, command string) {
	say(object{"id": 7, "method": "item/commandExecution/requestApproval", "params": object{"threadId": c.thread, "turnId": c.turnID(), "itemId": id, "command": command, "cwd": "/", "availableDecisions": list("accept", "decline", "cancel")}})
}

func (c *codex) steered(string) {}

func (c *codex) compacted() {
	c.note("item/completed", object{"item": object{"type": "contextCompaction", "id": "compaction"}})
}

func (c *codex) ended(outcome, text, failure string) {
	turn := object{"id": c.turnID(), "status": outcome, "items": list(), "error": nil}
	if failure != "" {
		turn["error"] = object{"message": failure}
	}
	c.note("turn/completed", object{"turn": turn})
}
