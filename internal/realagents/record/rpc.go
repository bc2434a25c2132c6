package main

// call asks by JSON-RPC and waits for the answer; an error is the case's error.
func (t *talk) call(method string, params message) message {
	return t.answer(method, t.ask(method, params))
}

// ask sends a request and gives its id, for calls whose answer comes much later.
func (t *talk) ask(method string, params message) int {
	t.calls++
	t.send(t.frame(message{"id": t.calls, "method": method, "params": params}))
	return t.calls
}

func (t *talk) answer(method string, id int) message {
	m := t.outcome(method, id)
	if m["error"] != nil {
		t.scene.fail("%s: %v", method, m["error"])
	}
	result, _ := m["result"].(message)
	return result
}

// outcome is the answer to a request, good or bad.
func (t *talk) outcome(method string, id int) message {
	return t.await("answer to "+method, func(m message) bool {
		return m["method"] == nil && m["id"] == float64(id)
	})
}

func (t *talk) notify(method string, params message) {
	t.send(t.frame(message{"method": method, "params": params}))
}

// reply answers a request of the agent.
func (t *talk) reply(request message, result message) {
	t.send(t.frame(message{"id": request["id"], "result": result}))
}

func (t *talk) event(method string) message {
	return t.await(method, has(method, "method"))
}

// frame adds the protocol's name, which Codex leaves out.
func (t *talk) frame(m message) message {
	if t.named {
		m["jsonrpc"] = "2.0"
	}
	return m
}
