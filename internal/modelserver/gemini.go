package modelserver

import (
	"encoding/json"
	"strings"
)

// gemini is Google's generateContent and streamGenerateContent; the path says which, and which model.
type gemini struct{}

func (gemini) name() string { return "gemini" }

func (gemini) read(q *Request) error {
	var body struct {
		SystemInstruction struct{ Parts json.RawMessage }
		Contents          []struct {
			Role  string
			Parts []struct {
				Text             *string
				FunctionResponse *struct{ Response json.RawMessage }
			}
		}
		Tools []struct {
			FunctionDeclarations []struct {
				Name                 string
				Parameters           schema
				ParametersJSONSchema schema `json:"parametersJsonSchema"`
			}
		}
	}
	if err := json.Unmarshal(q.Body, &body); err != nil {
		return err
	}
	q.Stream = strings.HasSuffix(q.Path, ":streamGenerateContent")
	q.Model = strings.TrimSuffix(strings.TrimSuffix(q.Path[strings.LastIndex(q.Path, "/")+1:], ":generateContent"), ":streamGenerateContent")
	q.System = text(body.SystemInstruction.Parts)
	for _, c := range body.Contents {
		for _, p := range c.Parts {
			switch {
			case p.FunctionResponse != nil:
				q.Turns = append(q.Turns, Turn{FromTool, string(p.FunctionResponse.Response)})
			case p.Text != nil && c.Role == "model":
				q.Turns = append(q.Turns, Turn{FromModel, *p.Text})
			case p.Text != nil:
				q.Turns = append(q.Turns, Turn{FromUser, *p.Text})
			}
		}
	}
	for _, t := range body.Tools {
		for _, f := range t.FunctionDeclarations {
			arguments := f.ParametersJSONSchema
			if arguments.Properties == nil {
				arguments = f.Parameters
			}
			q.Tools = append(q.Tools, Tool{f.Name, arguments.arguments()})
		}
	}
	return nil
}

func (p gemini) whole(_ int, q Request, r reply) any {
	parts := []any{}
	if r.text != "" {
		parts = append(parts, object{"text": r.text})
	}
	if r.call != nil {
		parts = append(parts, p.functionCall(r.call))
	}
	return p.response(q, parts, "STOP")
}

func (p gemini) stream(s stream, _ int, q Request, r reply) {
	s.words(r, func(word string) { s.send("", p.response(q, []any{object{"text": word}}, "")) })
	last := []any{object{"text": ""}}
	if r.call != nil {
		last = []any{p.functionCall(r.call)}
	}
	s.send("", p.response(q, last, "STOP"))
}

func (gemini) failure(status int, message string) any {
	kind := "INTERNAL"
	switch {
	case status == 401:
		kind = "UNAUTHENTICATED"
	case status == 429:
		kind = "RESOURCE_EXHAUSTED"
	case status < 500:
		kind = "INVALID_ARGUMENT"
	}
	return object{"error": object{"code": status, "message": message, "status": kind}}
}

func (gemini) functionCall(c *call) object {
	return object{"functionCall": object{"name": c.name, "args": c.arguments}}
}

func (gemini) response(q Request, parts []any, reason string) object {
	candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	if reason != "" {
		candidate["finishReason"] = reason
	}
	return object{"candidates": []any{candidate}, "modelVersion": q.Model, "usageMetadata": object{
		"promptTokenCount": InputTokens, "cachedContentTokenCount": CachedTokens,
		"candidatesTokenCount": OutputTokens, "totalTokenCount": InputTokens + OutputTokens}}
}
