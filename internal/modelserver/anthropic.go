package modelserver

import (
	"encoding/json"
	"regexp"
)

// anthropic is Anthropic's messages.
type anthropic struct{}

func (anthropic) name() string { return "anthropic" }

func (anthropic) read(q *Request) error {
	var body struct {
		Model    string
		Stream   bool
		System   json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct {
			Name        string
			InputSchema schema `json:"input_schema"`
		}
	}
	if err := json.Unmarshal(q.Body, &body); err != nil {
		return err
	}
	q.Model, q.Stream, q.System = body.Model, body.Stream, text(body.System)
	for _, m := range body.Messages {
		readBlocks(q, m.Role, m.Content)
	}
	for _, t := range body.Tools {
		q.Tools = append(q.Tools, Tool{t.Name, t.InputSchema.arguments()})
	}
	return nil
}

func readBlocks(q *Request, role string, content json.RawMessage) {
	var blocks []struct {
		Type, Text string
		Content    json.RawMessage
	}
	if json.Unmarshal(content, &blocks) != nil {
		addText(q, role, text(content))
		return
	}
	for _, b := range blocks {
		switch b.Type {
		case "tool_result":
			q.Turns = append(q.Turns, Turn{FromTool, text(b.Content)})
		case "text":
			addText(q, role, b.Text)
		}
	}
}

// steered is how Claude Code hands on what the user said in the middle of a turn: in words of its own, under
// whatever role.
var steered = regexp.MustCompile(`(?s)^The user sent a new message while you were working:\n(.*?)(\n\nThis is how .*)?$`)

func addText(q *Request, role, text string) {
	m := steered.FindStringSubmatch(text)
	switch {
	case role == "assistant":
		q.Turns = append(q.Turns, Turn{FromModel, text})
	case m != nil:
		q.Turns = append(q.Turns, Turn{FromUser, m[1]})
	case role == "user":
		q.Turns = append(q.Turns, Turn{FromUser, text})
	default:
		q.System += text
	}
}

func (p anthropic) whole(n int, q Request, r reply) any {
	content := []any{}
	if r.text != "" {
		content = append(content, object{"type": "text", "text": r.text})
	}
	if r.call != nil {
		content = append(content, p.toolUse(n, r.call, r.call.arguments))
	}
	o := p.message(n, q, OutputTokens)
	o["content"], o["stop_reason"] = content, p.reason(r)
	return o
}

func (p anthropic) stream(s stream, n int, q Request, r reply) {
	send := func(kind string, o object) {
		o["type"] = kind
		s.send(kind, o)
	}
	send("message_start", object{"message": p.message(n, q, 1)})
	index := 0
	if r.text != "" {
		send("content_block_start", object{"index": index, "content_block": object{"type": "text", "text": ""}})
		s.words(r, func(word string) {
			send("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": word}})
		})
		send("content_block_stop", object{"index": index})
		index++
	}
	if r.call != nil {
		send("content_block_start", object{"index": index, "content_block": p.toolUse(n, r.call, object{})})
		send("content_block_delta", object{"index": index, "delta": object{"type": "input_json_delta", "partial_json": r.call.json()}})
		send("content_block_stop", object{"index": index})
	}
	send("message_delta", object{"delta": object{"stop_reason": p.reason(r), "stop_sequence": nil}, "usage": object{"output_tokens": OutputTokens}})
	send("message_stop", object{})
}

func (anthropic) failure(status int, message string) any {
	kind := "api_error"
	switch {
	case status == 401:
		kind = "authentication_error"
	case status == 429:
		kind = "rate_limit_error"
	case status < 500:
		kind = "invalid_request_error"
	}
	return object{"type": "error", "error": object{"type": kind, "message": message}}
}

func (anthropic) message(n int, q Request, output int) object {
	return object{"id": id("msg", n), "type": "message", "role": "assistant", "model": q.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": InputTokens - CachedTokens,
			"cache_creation_input_tokens": 0, "cache_read_input_tokens": CachedTokens, "output_tokens": output}}
}

func (anthropic) toolUse(n int, c *call, input object) object {
	return object{"type": "tool_use", "id": id("toolu", n), "name": c.name, "input": input}
}

func (anthropic) reason(r reply) string {
	if r.call != nil {
		return "tool_use"
	}
	return "end_turn"
}
