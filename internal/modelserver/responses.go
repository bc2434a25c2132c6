package modelserver

import (
	"encoding/json"
	"strings"
)

// responses is OpenAI's responses interface, the one that Codex speaks.
type responses struct{}

func (responses) name() string { return "responses" }

func (responses) read(q *Request) error {
	var body struct {
		Model        string
		Stream       bool
		Instructions string
		Input        json.RawMessage
		Tools        []struct {
			Name, Type string
			Parameters schema
		}
	}
	if err := json.Unmarshal(q.Body, &body); err != nil {
		return err
	}
	q.Model, q.Stream, q.System = body.Model, body.Stream, body.Instructions
	for _, t := range body.Tools {
		q.Tools = append(q.Tools, Tool{t.Name, t.Parameters.arguments()})
	}
	var prompt string
	if json.Unmarshal(body.Input, &prompt) == nil {
		q.Turns = []Turn{{FromUser, prompt}}
		return nil
	}
	return readItems(q, body.Input)
}

func readItems(q *Request, input json.RawMessage) error {
	var items []struct {
		Type, Role      string
		Content, Output json.RawMessage
	}
	if err := json.Unmarshal(input, &items); err != nil {
		return err
	}
	for _, it := range items {
		switch {
		case strings.HasSuffix(it.Type, "_output"):
			q.Turns = append(q.Turns, Turn{FromTool, text(it.Output)})
		case it.Type != "" && it.Type != "message":
		case it.Role == "user":
			q.Turns = append(q.Turns, Turn{FromUser, text(it.Content)})
		case it.Role == "assistant":
			q.Turns = append(q.Turns, Turn{FromModel, text(it.Content)})
		default:
			q.System += text(it.Content)
		}
	}
	return nil
}

func (p responses) whole(n int, q Request, r reply) any {
	var output []any
	if r.text != "" {
		output = append(output, p.message(n, r.text, "completed"))
	}
	if r.call != nil {
		output = append(output, p.function(n, r.call))
	}
	return p.response(n, q, "completed", output)
}

func (p responses) stream(s stream, n int, q Request, r reply) {
	sequence, index := 0, 0
	send := func(kind string, o object) {
		o["type"], o["sequence_number"] = kind, sequence
		sequence++
		s.send(kind, o)
	}
	send("response.created", object{"response": p.response(n, q, "in_progress", nil)})
	send("response.in_progress", object{"response": p.response(n, q, "in_progress", nil)})
	if r.text != "" {
		p.streamText(s, n, r, send)
		index++
	}
	if r.call != nil {
		p.streamCall(n, index, r.call, send)
	}
	send("response.completed", object{"response": p.whole(n, q, r)})
}

func (p responses) streamText(s stream, n int, r reply, send func(string, object)) {
	message := id("msg", n)
	send("response.output_item.added", object{"output_index": 0, "item": p.message(n, "", "in_progress")})
	send("response.content_part.added", object{"item_id": message, "output_index": 0, "content_index": 0, "part": p.part("")})
	s.words(r, func(word string) {
		send("response.output_text.delta", object{"item_id": message, "output_index": 0, "content_index": 0, "delta": word})
	})
	send("response.output_text.done", object{"item_id": message, "output_index": 0, "content_index": 0, "text": r.text})
	send("response.content_part.done", object{"item_id": message, "output_index": 0, "content_index": 0, "part": p.part(r.text)})
	send("response.output_item.done", object{"output_index": 0, "item": p.message(n, r.text, "completed")})
}

func (p responses) streamCall(n, index int, c *call, send func(string, object)) {
	begun := p.function(n, c)
	begun["arguments"], begun["status"] = "", "in_progress"
	send("response.output_item.added", object{"output_index": index, "item": begun})
	send("response.function_call_arguments.delta", object{"item_id": id("fc", n), "output_index": index, "delta": c.json()})
	send("response.function_call_arguments.done", object{"item_id": id("fc", n), "output_index": index, "arguments": c.json()})
	send("response.output_item.done", object{"output_index": index, "item": p.function(n, c)})
}

func (responses) failure(status int, message string) any {
	return object{"error": object{"message": message, "type": "scripted_error", "code": status}}
}

func (responses) response(n int, q Request, status string, output []any) object {
	if output == nil {
		output = []any{}
	}
	o := object{"id": id("resp", n), "object": "response", "created_at": 1, "status": status, "model": q.Model, "output": output}
	if status == "completed" {
		o["usage"] = object{"input_tokens": InputTokens, "input_tokens_details": object{"cached_tokens": CachedTokens},
			"output_tokens": OutputTokens, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": InputTokens + OutputTokens}
	}
	return o
}

func (p responses) message(n int, text, status string) object {
	content := []any{}
	if text != "" {
		content = append(content, p.part(text))
	}
	return object{"type": "message", "id": id("msg", n), "role": "assistant", "status": status, "content": content}
}

func (responses) part(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}}
}

func (responses) function(n int, c *call) object {
	return object{"type": "function_call", "id": id("fc", n), "call_id": id("call", n), "name": c.name, "arguments": c.json(), "status": "completed"}
}
