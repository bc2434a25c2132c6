package main

func openCodeACP() acpAgent {
	a := acpAgent{args: []string{"acp"}, ask: `OPENCODE_PERMISSION={"bash":"ask"}`}
	a.more = map[string]func(*scene){
		"resume":        func(s *scene) { a.again(s, "session/resume", a.said(s)) },
		"load":          func(s *scene) { a.again(s, "session/load", a.said(s)) },
		"fork":          func(s *scene) { a.again(s, "session/fork", a.said(s)) },
		"resume-killed": func(s *scene) { a.again(s, "session/resume", a.killed(s)) },
		"model":         a.models,
		"drop":          a.silentRetry,
	}
	return a
}

// models chooses a model that there is and one that there is not.
func (a acpAgent) models(s *scene) {
	c := a.start(s)
	for _, model := range []string{"scripted/scripted", "scripted/no-such-model"} {
		params := message{"sessionId": c.session, "configId": "model", "value": model}
		c.outcome("session/set_config_option", c.ask("session/set_config_option", params))
	}
	c.turn("hello [[say:hi there]]")
}

// silentRetry shows that OpenCode tries again and again without a word (more than a minute), and can be cancelled.
func (a acpAgent) silentRetry(s *scene) {
	c := a.start(s)
	id := c.prompt("fail [[drop]]")
	c.pause(grace / 2)
	c.notify("session/cancel", message{"sessionId": c.session})
	c.outcome("session/prompt", id)
}
