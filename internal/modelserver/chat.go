package modelserver

import "encoding/json"

// chat is OpenAI's chat completions.
type chat struct{}

func (chat) name() string { return "chat" }

func (chat) read(q *Request) error {
	var body struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct {
			Function struct {
				Name       string
				Parameters schema
			}
		}
	}
	if err := json.Unmarshal(q.Body, &body); err != nil {
		return err
	}
	q.Model, q.Stream = body.Model, body.Stream
	for _, m := range body.Messages {
		switch m.Role {
		case "user":
			q.Turns = append(q.Turns, Turn{FromUser, text(m.Content)})
		case "assistant":
			q.Turns = append(q.Turns, Turn{FromModel, text(m.Content)})
		case "tool":
			q.Turns = append(q.Turns, Turn{FromTool, text(m.Content)})
		default:
			q.System += text(m.Content)
		}
	}
	for _, t := range body.Tools {
		q.Tools = append(q.Tools, Tool{t.Function.Name, t.Function.Parameters.arguments()})
	}
	return nil
}

func (c chat) whole(n int, q Request, r reply) any {
	message := object{"role": "assistant", "content": r.text}
	if r.call != nil {
		message["tool_calls"] = c.calls(n, r.call)
	}
	o := c.frame(n, q, "chat.completion", object{"index": 0, "message": message, "finish_reason": c.reason(r)})
	o["usage"] = c.usage()
	return o
}

func (c chat) stream(s stream, n int, q Request, r reply) {
	delta := func(d object, reason any) {
		s.send("", c.frame(n, q, "chat.completion.chunk", object{"index": 0, "delta": d, "finish_reason": reason}))
	}
	delta(object{"role": "assistant", "content": ""}, nil)
	s.words(r, func(word string) { delta(object{"content": word}, nil) })
	if r.call != nil {
		delta(object{"tool_calls": c.calls(n, r.call)}, nil)
	}
	delta(object{}, c.reason(r))
	end := c.frame(n, q, "chat.completion.chunk")
	end["usage"] = c.usage()
	s.send("", end)
	s.line("data: [DONE]\n\n") // Not JSON.
}

func (chat) failure(status int, message string) any {
	return object{"error": object{"message": message, "type": "scripted_error", "code": status}}
}

func (chat) frame(n int, q Request, kind string, choices ...any) object {
	if choices == nil {
		choices = []any{}
	}
	return object{"id": id("chatcmpl", n), "object": kind, "created": 1, "model": q.Model, "choices": choices}
}

func (chat) calls(n int, c *call) []any {
	function := object{"name": c.name, "arguments": c.json()}
	return []any{object{"index": 0, "id": id("call", n), "type": "function", "function": function}}
}

func (chat) reason(r reply) string {
	if r.call != nil {
		return "tool_calls"
	}
	return "stop"
}

func (chat) usage() object {
	return object{"prompt_tokens": InputTokens, "completion_tokens": OutputTokens, "total_tokens": InputTokens + OutputTokens,
		"prompt_tokens_details": object{"cached_tokens": CachedTokens}}
}
