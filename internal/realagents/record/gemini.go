package main

import "github.com/agent-runs/agent-runs/internal/realagents"

// geminiACP cannot load a session (0.61.0): session/load begins the file of the session anew and then finds it empty.
// One-shot runs can go on with it, so they are recorded besides.
func geminiACP() acpAgent {
	a := acpAgent{args: []string{"--acp", "--skip-trust", "-m", realagents.GeminiModel}, freely: []string{"-y"}}
	a.more = map[string]func(*scene){
		"load-refused": func(s *scene) {
			session := a.said(s)
			c := a.open(s)
			c.outcome("session/load", c.ask("session/load", message{"sessionId": session, "cwd": s.cwd, "mcpServers": []any{}}))
		},
		"oneshot":          func(s *scene) { geminiOnce(s, "run it [[bash:echo in the tool]]") },
		"oneshot-error401": func(s *scene) { geminiOnce(s, "fail [[status:401]]") },
		"oneshot-resume":   func(s *scene) { geminiOnce(s, "again", "--resume", a.said(s)) },
	}
	return a
}

// geminiOnce has no stdin to speak of: the prompt is an argument and the end is the process's own.
func geminiOnce(s *scene, text string, args ...string) {
	t := s.start(append([]string{"-o", "stream-json", "-y", "--skip-trust", "-m", realagents.GeminiModel, "-p", text}, args...)...)
	t.await("result", has("result", "type"))
}
