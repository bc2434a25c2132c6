package main

import "time"

type claude struct{ *talk }

func startClaude(s *scene, args ...string) claude {
	c := claude{s.start(append([]string{"-p", "--output-format", "stream-json", "--input-format", "stream-json", "--verbose",
		"--permission-prompt-tool", "stdio", "--replay-user-messages"}, args...)...)}
	c.control("initialize", "initialize")
	return c
}

func (c claude) control(id, subtype string) {
	c.send(message{"type": "control_request", "request_id": id, "request": message{"subtype": subtype}})
	c.await(id, has(id, "response", "request_id"))
}

func (c claude) say(text string) {
	c.send(message{"type": "user", "message": message{"role": "user", "content": text}, "parent_tool_use_id": nil, "session_id": ""})
}

func (c claude) result() message { return c.await("result", has("result", "type")) }

func (c claude) turn(text string) message {
	c.say(text)
	return c.result()
}

func (c claude) inTool(text string) {
	c.say(text)
	c.await("tool use", func(m message) bool {
		blocks, _ := field(m, "message", "content").([]any)
		return len(blocks) > 0 && str(blocks[0], "type") == "tool_use"
	})
	c.pause(800 * time.Millisecond)
}

// asked waits for the question and answers it.
func (c claude) asked(text string, answer func(request message) message) {
	c.say(text)
	q := c.await("question", has("can_use_tool", "request", "subtype"))
	request, _ := q["request"].(message)
	c.send(message{"type": "control_response", "response": message{"subtype": "success", "request_id": q["request_id"], "response": answer(request)}})
	c.result()
}

func claudeCases() map[string]func(*scene) {
	allowed := []string{"--allowedTools", "Bash"}
	turn := func(text string) func(*scene) {
		return func(s *scene) { startClaude(s, allowed...).turn(text) }
	}
	return map[string]func(*scene){
		"say":      turn("hello [[say:hi there]]"),
		"tool":     turn("run it [[bash:echo in the tool]][[bash:echo failed >&2; exit 3]]"),
		"error401": turn("fail [[status:401]]"),
		"error500": turn("fail [[status:500]]"),
		"drop":     turn("fail [[drop]]"),
		"recover":  turn("fail once [[drop:1]]"),
		"model":    func(s *scene) { startClaude(s, "--model", "no-such-model").turn("hello") },
		// The second result comes after stdin was closed.
		"background": turn(`run it [[tool:Bash:{"command":"sleep 3; echo later","description":"d","run_in_background":true}]]`),
		"question":   claudeQuestion,
		"killed":     func(s *scene) { claudeKilled(s) },
		"resume-killed": func(s *scene) {
			startClaude(s, "--resume", claudeKilled(s)).turn("again")
		},
		"steer": func(s *scene) {
			c := startClaude(s, allowed...)
			c.inTool("run it " + short)
			c.say("go left")
			c.result()
		},
		"interrupt": func(s *scene) {
			c := startClaude(s, allowed...)
			c.inTool("run it " + long)
			c.control("interrupt", "interrupt")
			c.result()
			c.turn("after the interruption")
		},
		"interrupt-text": func(s *scene) {
			c := startClaude(s, "--include-partial-messages")
			c.say(slow)
			c.await("text", has("content_block_delta", "event", "type"))
			c.control("interrupt", "interrupt")
			c.result()
		},
		"later": func(s *scene) {
			c := startClaude(s, allowed...)
			c.inTool("run it " + short)
			c.send(message{"type": "user", "message": message{"role": "user", "content": "then right"}, "parent_tool_use_id": nil,
				"session_id": "", "priority": "later"})
			c.result()
			c.result()
		},
		"two": func(s *scene) {
			c := startClaude(s, allowed...)
			c.turn("one [[say:first]]")
			c.turn("two [[say:second]]")
		},
		"partial": func(s *scene) {
			startClaude(s, "--include-partial-messages").turn("hello [[say:hi there]]")
		},
		"permission": func(s *scene) {
			c := startClaude(s)
			c.asked("run it [[bash:date > made && echo made]]", func(r message) message {
				return message{"behavior": "allow", "updatedInput": r["input"]}
			})
			c.asked("again [[bash:date > more && echo made]]", func(message) message {
				return message{"behavior": "deny", "message": "not allowed"}
			})
		},
		"max-turns": func(s *scene) {
			startClaude(s, "--allowedTools", "Bash", "--max-turns", "1").turn("run it [[bash:echo one]][[bash:echo two]]")
		},
		"resume": func(s *scene) { claudeAgain(s) },
		"fork":   func(s *scene) { claudeAgain(s, "--fork-session") },
	}
}

// claudeQuestion has the model ask the user: the answer goes back in the input of the tool.
func claudeQuestion(s *scene) {
	c := startClaude(s)
	c.asked(`ask [[tool:AskUserQuestion:{"questions":[{"question":"Which way?","header":"Way","multiSelect":false,"options":[{"label":"left","description":"the old way"},{"label":"right","description":"the new way"}]}]}]]`,
		func(r message) message {
			input, _ := r["input"].(message)
			input["answers"] = message{"Which way?": "left"}
			return message{"behavior": "allow", "updatedInput": input}
		})
}

// claudeKilled leaves a session whose process was killed in the middle of a tool call.
func claudeKilled(s *scene) string {
	c := startClaude(s, "--allowedTools", "Bash")
	c.inTool("run it " + long)
	session := str(c.await("init", has("init", "subtype")), "session_id")
	c.kill()
	return session
}

// claudeAgain goes on in a new process with the session of one that has ended.
func claudeAgain(s *scene, args ...string) {
	c := startClaude(s)
	session := str(c.turn("one [[say:first]]"), "session_id")
	c.end()
	startClaude(s, append([]string{"--resume", session}, args...)...).turn("again")
}
