package main

import "time"

// codex is an app server with one thread.
type codex struct {
	*talk
	thread string
}

var full = message{"approvalPolicy": "never", "sandbox": "danger-full-access"}

func openCodex(s *scene) *codex {
	c := &codex{talk: s.start("app-server")}
	c.call("initialize", message{"clientInfo": message{"name": "record", "title": "Record", "version": "1"},
		"capabilities": message{"experimentalApi": true}})
	c.notify("initialized", message{})
	return c
}

func (c *codex) open(method string, policy message, more message) *codex {
	params := message{"cwd": c.scene.cwd}
	for _, m := range []message{policy, more} {
		for k, v := range m {
			params[k] = v
		}
	}
	c.thread = str(c.call(method, params), "thread", "id")
	return c
}

func startCodex(s *scene) *codex { return openCodex(s).open("thread/start", full, nil) }

func codexInput(text string) []any {
	return []any{message{"type": "text", "text": text, "text_elements": []any{}}}
}

// say starts a turn and gives its id.
func (c *codex) say(text string) string {
	return str(c.call("turn/start", message{"threadId": c.thread, "input": codexInput(text)}), "turn", "id")
}

func (c *codex) turn(text string) {
	c.say(text)
	c.event("turn/completed")
}

func (c *codex) inTool(text string) string {
	turn := c.say(text)
	c.await("command", func(m message) bool {
		return str(m, "method") == "item/started" && str(m, "params", "item", "type") == "commandExecution"
	})
	c.pause(500 * time.Millisecond)
	return turn
}

func codexCases() map[string]func(*scene) {
	turn := func(text string) func(*scene) { return func(s *scene) { startCodex(s).turn(text) } }
	return map[string]func(*scene){
		"say":      turn("hello [[say:hi there]]"),
		"tool":     turn("run it [[bash:echo in the tool]][[bash:echo failed >&2; exit 3]]"),
		"error401": turn("fail [[status:401]]"),
		"error500": turn("fail [[status:500]]"),
		"drop":     turn("fail [[drop]]"),
		"recover":  turn("fail once [[drop:1]]"),
		"model": func(s *scene) {
			openCodex(s).open("thread/start", full, message{"model": "no-such-model"}).turn("hello")
		},
		"killed": func(s *scene) { codexKilled(s) },
		"resume-killed": func(s *scene) {
			thread := codexKilled(s)
			openCodex(s).open("thread/resume", full, message{"threadId": thread}).turn("again")
		},
		"steer": func(s *scene) {
			c := startCodex(s)
			id := c.inTool("run it " + short)
			c.steer(id, "go left")
			c.event("turn/completed")
		},
		"steer-idle": func(s *scene) {
			c := startCodex(s)
			id := c.say("one [[say:first]]")
			c.event("turn/completed")
			c.steer(id, "too late")
		},
		"interrupt": func(s *scene) {
			c := startCodex(s)
			id := c.inTool("run it " + long)
			c.call("turn/interrupt", message{"threadId": c.thread, "turnId": id})
			c.event("turn/completed")
			c.call("thread/backgroundTerminals/clean", message{"threadId": c.thread})
			c.turn("after the interruption")
		},
		"interrupt-text": func(s *scene) {
			c := startCodex(s)
			id := c.say(slow)
			c.event("item/agentMessage/delta")
			c.call("turn/interrupt", message{"threadId": c.thread, "turnId": id})
			c.event("turn/completed")
		},
		"two": func(s *scene) {
			c := startCodex(s)
			c.turn("one [[say:first]]")
			c.turn("two [[say:second]]")
		},
		"permission": codexPermission,
		"resume":     func(s *scene) { codexAgain(s, "thread/resume") },
		"fork":       func(s *scene) { codexAgain(s, "thread/fork") },
	}
}

// steer may be refused: that answer is what one wants to see.
func (c *codex) steer(turn, text string) {
	params := message{"threadId": c.thread, "expectedTurnId": turn, "input": codexInput(text)}
	c.outcome("turn/steer", c.ask("turn/steer", params))
}

func codexPermission(s *scene) {
	c := openCodex(s).open("thread/start", message{"approvalPolicy": "untrusted", "sandbox": "danger-full-access"}, nil)
	c.asked("run it [[bash:date > made && echo made]]", "accept")
	c.asked("again [[bash:date > more && echo made]]", "decline")
}

func (c *codex) asked(text, decision string) {
	c.say(text)
	c.reply(c.event("item/commandExecution/requestApproval"), message{"decision": decision})
	c.event("turn/completed")
}

// codexKilled leaves a thread whose process was killed in the middle of a tool call.
func codexKilled(s *scene) string {
	c := startCodex(s)
	c.inTool("run it " + long)
	c.kill()
	return c.thread
}

// codexAgain goes on in a new process with the thread of one that has ended.
func codexAgain(s *scene, method string) {
	c := startCodex(s)
	c.turn("one [[say:first]]")
	c.end()
	openCodex(s).open(method, full, message{"threadId": c.thread}).turn("again")
}
