package main

import (
	"time"

	"github.com/agent-runs/agent-runs/internal/realagents"
)

// acpAgent is what differs between agents that speak ACP.
type acpAgent struct {
	args   []string
	freely []string // environment or arguments with which tools run unasked
	ask    string   // environment with which they ask
	resume string   // method that goes on with a session
	fork   string
}

func geminiACP() acpAgent {
	args := []string{"--acp", "--skip-trust", "-m", realagents.GeminiModel}
	return acpAgent{args: args, freely: []string{"-y"}, resume: "session/load"}
}

func openCodeACP() acpAgent {
	return acpAgent{args: []string{"acp"}, ask: `OPENCODE_PERMISSION={"bash":"ask"}`, resume: "session/resume", fork: "session/fork"}
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
		"drop":     turn("fail [[drop]]"),
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
		"resume": func(s *scene) { a.again(s, a.resume) },
	}
	if a.fork != "" {
		cases["fork"] = func(s *scene) { a.again(s, a.fork) }
	}
	return cases
}

// again goes on in a new process with the session of one that has ended.
func (a acpAgent) again(s *scene, method string) {
	c := a.start(s)
	c.turn("one [[say:first]]")
	c.end()
	a.open(s, a.freely...).begin(method, message{"sessionId": c.session}).turn("again")
}
