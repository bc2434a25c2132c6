package main

import (
	"maps"
	"time"
)

// acpAgent is what differs between agents that speak ACP.
type acpAgent struct {
	args   []string
	freely []string                // more arguments, with which tools run unasked
	ask    string                  // environment with which they ask
	more   map[string]func(*scene) // cases of its own
}

type acp struct {
	*talk
	session string
}

func (a acpAgent) open(s *scene, args ...string) *acp {
	c := &acp{talk: s.start(append(append([]string{}, a.args...), args...)...)}
	c.named = true
	c.call("initialize", message{"protocolVersion": 1, "clientCapabilities": message{
		"fs": message{"readTextFile": false, "writeTextFile": false}, "terminal": false}})
	return c
}

func (c *acp) begin(method string, more message) *acp {
	params := message{"cwd": c.scene.cwd, "mcpServers": []any{}}
	for k, v := range more {
		params[k] = v
	}
	result := c.call(method, params)
	if id := str(result, "sessionId"); id != "" {
		c.session = id
	} else {
		c.session = str(more, "sessionId")
	}
	return c
}

func (a acpAgent) start(s *scene) *acp { return a.open(s, a.freely...).begin("session/new", nil) }

func (c *acp) prompt(text string) int {
	return c.ask("session/prompt", message{"sessionId": c.session, "prompt": []any{message{"type": "text", "text": text}}})
}

// turn takes an error for an answer too.
func (c *acp) turn(text string) { c.outcome("session/prompt", c.prompt(text)) }

func (c *acp) inTool(text string) int {
	id := c.prompt(text)
	c.await("tool call", func(m message) bool {
		kind := str(m, "params", "update", "sessionUpdate")
		return (kind == "tool_call" || kind == "tool_call_update") && str(m, "params", "update", "status") == "in_progress"
	})
	c.pause(700 * time.Millisecond)
	return id
}

// asked answers the question with the first option of that kind.
func (c *acp) asked(text, kind string) {
	id := c.prompt(text)
	q := c.event("session/request_permission")
	options, _ := field(q, "params", "options").([]any)
	for _, o := range options {
		if str(o, "kind") == kind {
			c.reply(q, message{"outcome": message{"outcome": "selected", "optionId": str(o, "optionId")}})
			break
		}
	}
	c.outcome("session/prompt", id)
}

func acpCases(a acpAgent) map[string]func(*scene) {
	turn := func(text string) func(*scene) { return func(s *scene) { a.start(s).turn(text) } }
	cases := map[string]func(*scene){
		"say":      turn("hello [[say:hi there]]"),
		"tool":     turn("run it [[bash:echo in the tool]][[bash:echo failed >&2; exit 3]]"),
		"error401": turn("fail [[status:401]]"),
		"error500": turn("fail [[status:500]]"),
		"recover":  turn("fail once [[drop:1]]"),
		"drop":     turn("fail [[drop]]"),
		"killed":   func(s *scene) { a.killed(s) },
		"steer": func(s *scene) {
			c := a.start(s)
			first := c.inTool("run it " + short)
			second := c.prompt("go left")
			c.outcome("the first prompt", first)
			c.outcome("the second prompt", second)
		},
		"interrupt": func(s *scene) {
			c := a.start(s)
			id := c.inTool("run it " + long)
			c.notify("session/cancel", message{"sessionId": c.session})
			c.outcome("session/prompt", id)
			c.turn("after the interruption")
		},
		"interrupt-text": func(s *scene) {
			c := a.start(s)
			id := c.prompt(slow)
			c.await("text", has("agent_message_chunk", "params", "update", "sessionUpdate"))
			c.notify("session/cancel", message{"sessionId": c.session})
			c.outcome("session/prompt", id)
		},
		"two": func(s *scene) {
			c := a.start(s)
			c.turn("one [[say:first]]")
			c.turn("two [[say:second]]")
		},
		"permission": func(s *scene) {
			if a.ask != "" {
				s.env = append(s.env, a.ask)
			}
			c := a.open(s).begin("session/new", nil)
			c.asked("run it [[bash:date > made && echo made]]", "allow_once")
			c.asked("again [[bash:date > more && echo made]]", "reject_once")
		},
	}
	maps.Copy(cases, a.more)
	return cases
}

// killed leaves a session whose process was killed in the middle of a tool call.
func (a acpAgent) killed(s *scene) string {
	c := a.start(s)
	c.inTool("run it " + long)
	c.kill()
	return c.session
}

// said leaves a session with one turn.
func (a acpAgent) said(s *scene) string {
	c := a.start(s)
	c.turn("one [[say:first]]")
	c.end()
	return c.session
}

// again goes on in a new process with a session of one that has ended.
func (a acpAgent) again(s *scene, method, session string) {
	a.open(s, a.freely...).begin(method, message{"sessionId": session}).turn("again")
}
