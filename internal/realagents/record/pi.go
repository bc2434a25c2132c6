package main

import (
	"time"

	"github.com/agent-runs/agent-runs/internal/realagents"
)

// Commands of the tool cases: long enough to say something in the middle of it, short enough for Claude Code, which
// refuses to sleep for long.
const (
	short = "[[bash:sleep 2; echo slept]]"
	long  = "[[bash:sleep 5; echo slept]]"
	slow  = "speak slowly [[slow:20]]"
)

type pi struct{ *talk }

func startPi(s *scene, args ...string) pi {
	p := pi{s.start(append([]string{"--provider", "scripted", "--model", realagents.Model, "--mode", "rpc"}, args...)...)}
	p.send(message{"id": "state", "type": "get_state"})
	return p
}

func (p pi) state() message {
	state, _ := field(p.await("state", has("state", "id")), "data").(message)
	return state
}

func (p pi) say(kind, text string) { p.send(message{"id": kind, "type": kind, "message": text}) }

func (p pi) settled() { p.await("agent_settled", has("agent_settled", "type")) }

func (p pi) turn(text string) {
	p.say("prompt", text)
	p.settled()
}

func (p pi) inTool(text string) {
	p.say("prompt", text)
	p.await("tool_execution_start", has("tool_execution_start", "type"))
	p.pause(500 * time.Millisecond)
}

func piCases() map[string]func(*scene) {
	turn := func(text string) func(*scene) { return func(s *scene) { startPi(s).turn(text) } }
	return map[string]func(*scene){
		"say":      piSay,
		"tool":     turn("run it [[bash:echo in the tool]][[bash:echo failed >&2; exit 3]]"),
		"error401": turn("fail [[status:401]]"),
		"error500": turn("fail [[status:500]]"),
		"drop":     turn("fail [[drop]]"),
		"recover":  turn("fail once [[drop:1]]"),
		"model": func(s *scene) {
			p := pi{s.start("--model", "scripted/no-such-model", "--mode", "rpc")}
			p.send(message{"id": "state", "type": "get_state"})
			p.turn("hello")
		},
		"killed":        func(s *scene) { piKilled(s) },
		"resume-killed": func(s *scene) { startPi(s, "--session", piKilled(s)).turn("again") },
		"steer": func(s *scene) {
			p := startPi(s)
			p.inTool("run it " + short)
			p.say("steer", "go left")
			p.say("follow_up", "then right")
			p.settled()
		},
		"interrupt": func(s *scene) {
			p := startPi(s)
			p.inTool("run it " + long)
			p.send(message{"id": "abort", "type": "abort"})
			p.settled()
			p.turn("after the interruption")
		},
		"interrupt-text": func(s *scene) {
			p := startPi(s)
			p.say("prompt", slow)
			p.await("text", has("message_update", "type"))
			p.send(message{"id": "abort", "type": "abort"})
			p.settled()
		},
		"two": func(s *scene) {
			p := startPi(s)
			p.turn("one [[say:first]]")
			p.turn("two [[say:second]]")
		},
		"steer-idle": func(s *scene) {
			p := startPi(s)
			p.turn("one [[say:first]]")
			p.say("steer", "too late")
			p.await("answer to steer", has("steer", "id"))
		},
		"resume": func(s *scene) { piAgain(s, "--session", "sessionId") },
		"fork":   func(s *scene) { piAgain(s, "--fork", "sessionFile") },
	}
}

func piSay(s *scene) {
	p := startPi(s)
	p.turn("hello [[say:hi there]]")
	p.send(message{"id": "stats", "type": "get_session_stats"})
	p.await("stats", has("stats", "id"))
	p.send(message{"id": "text", "type": "get_last_assistant_text"})
	p.await("text", has("text", "id"))
}

// piKilled leaves a session whose process was killed in the middle of a tool call.
func piKilled(s *scene) string {
	p := startPi(s)
	session := str(p.state(), "sessionId")
	p.inTool("run it " + long)
	p.kill()
	return session
}

// piAgain goes on in a new process with the session of one that has ended.
func piAgain(s *scene, flag, key string) {
	p := startPi(s)
	session := str(p.state(), key)
	p.turn("one [[say:first]]")
	p.end()
	startPi(s, flag, session).turn("again")
}
