package modelserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// wire is one protocol as a plain client sees it.
type wire struct {
	path     func(stream bool) string
	body     func(stream bool, turns []Turn) object
	textPath []string // in one event or in the whole answer, streamed and whole
	eventAt  []string
}

var command = object{"type": "object", "properties": object{"command": object{"type": "string"}}}

func fixed(path string) func(bool) string { return func(bool) string { return path } }

var wires = map[string]wire{
	"chat": {
		path: fixed("/v1/chat/completions"),
		body: func(stream bool, turns []Turn) object {
			messages := []any{object{"role": "system", "content": "be brief"}}
			for _, t := range turns {
				role := map[string]string{FromUser: "user", FromModel: "assistant", FromTool: "tool"}[t.From]
				messages = append(messages, object{"role": role, "content": t.Text})
			}
			return object{"model": "m", "stream": stream, "messages": messages,
				"tools": []any{object{"type": "function", "function": object{"name": "bash", "parameters": command}}}}
		},
		textPath: []string{"choices", "0", "message", "content"},
		eventAt:  []string{"choices", "0", "delta", "content"},
	},
	"responses": {
		path: fixed("/v1/responses"),
		body: func(stream bool, turns []Turn) object {
			var input []any
			for _, t := range turns {
				if t.From == FromTool {
					input = append(input, object{"type": "function_call_output", "call_id": "call_1", "output": t.Text})
					continue
				}
				role := map[string]string{FromUser: "user", FromModel: "assistant"}[t.From]
				input = append(input, object{"type": "message", "role": role, "content": []any{object{"type": "input_text", "text": t.Text}}})
			}
			return object{"model": "m", "stream": stream, "instructions": "be brief", "input": input,
				"tools": []any{object{"type": "function", "name": "exec_command", "parameters": object{"properties": object{"cmd": object{"type": "string"}}}}}}
		},
		textPath: []string{"output", "0", "content", "0", "text"},
		eventAt:  []string{"delta"},
	},
	"anthropic": {
		path: fixed("/v1/messages"),
		body: func(stream bool, turns []Turn) object {
			var messages []any
			for _, t := range turns {
				switch t.From {
				case FromTool:
					messages = append(messages, object{"role": "user", "content": []any{object{"type": "tool_result", "tool_use_id": "toolu_1", "content": t.Text}}})
				case FromModel:
					messages = append(messages, object{"role": "assistant", "content": []any{object{"type": "text", "text": t.Text}}})
				default:
					messages = append(messages, object{"role": "user", "content": t.Text})
				}
			}
			return object{"model": "m", "stream": stream, "system": "be brief", "messages": messages,
				"tools": []any{object{"name": "Bash", "input_schema": command}}}
		},
		textPath: []string{"content", "0", "text"},
		eventAt:  []string{"delta", "text"},
	},
	"gemini": {
		path: func(stream bool) string {
			if stream {
				return "/v1beta/models/m:streamGenerateContent?alt=sse"
			}
			return "/v1beta/models/m:generateContent"
		},
		body: func(_ bool, turns []Turn) object {
			var contents []any
			for _, t := range turns {
				role, part := "user", object{"text": t.Text}
				switch t.From {
				case FromModel:
					role = "model"
				case FromTool:
					part = object{"functionResponse": object{"name": "run_shell_command", "response": object{"output": t.Text}}}
				}
				contents = append(contents, object{"role": role, "parts": []any{part}})
			}
			return object{"contents": contents, "systemInstruction": object{"parts": []any{object{"text": "be brief"}}},
				"tools": []any{object{"functionDeclarations": []any{object{"name": "run_shell_command", "parametersJsonSchema": command}}}}}
		},
		textPath: []string{"candidates", "0", "content", "parts", "0", "text"},
		eventAt:  []string{"candidates", "0", "content", "parts", "0", "text"},
	},
}

// post asks once and gives back the status, the raw answer and the error of reading it.
func (w wire) post(t *testing.T, s *Server, stream bool, turns ...Turn) (int, string, error) {
	t.Helper()
	body, err := json.Marshal(w.body(stream, turns))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(s.URL()+w.path(stream), "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return r.StatusCode, string(b), err
}

// said is the text of an answer.
func (w wire) said(t *testing.T, stream bool, raw string) string {
	t.Helper()
	if !stream {
		return at(t, raw, w.textPath)
	}
	var text strings.Builder
	lines := bufio.NewScanner(strings.NewReader(raw))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if ok && data != "[DONE]" && !strings.Contains(data, "function_call_arguments") {
			text.WriteString(at(t, data, w.eventAt))
		}
	}
	return text.String()
}

// at walks into JSON; what is not there is "".
func at(t *testing.T, raw string, path []string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	for _, key := range path {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(x) {
				return ""
			}
			v = x[i]
		}
	}
	s, _ := v.(string)
	return s
}
