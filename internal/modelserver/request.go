package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// Who said a turn.
const (
	FromUser  = "user"
	FromModel = "model"
	FromTool  = "tool"
)

// Turn is one text of the conversation, whatever the protocol calls it.
type Turn struct {
	From string
	Text string
}

// Tool is a tool that the agent offers: its name and the JSON type of each argument.
type Tool struct {
	Name      string
	Arguments map[string]string
}

// Request is what reached the model in one call, in the same form for every protocol.
type Request struct {
	Protocol string
	Path     string
	Header   http.Header
	Body     json.RawMessage
	Model    string
	Stream   bool
	System   string
	Turns    []Turn
	Tools    []Tool
	// Reply says in a few words what the server answered.
	Reply string
}

// aboutContext matches what agents put into the conversation in the user's name, their notes about interruptions
// included: it is not what the user said.
var aboutContext = regexp.MustCompile(`^\s*(<(system-reminder|environment_context|user_instructions|session_context|permissions|skills_instructions|turn_aborted)|\[Request interrupted by user|# AGENTS\.md)`)

// Users are the texts that the user sent, oldest first.
func (q Request) Users() []string {
	var texts []string
	for _, t := range q.Turns {
		if t.From == FromUser && !aboutContext.MatchString(t.Text) {
			texts = append(texts, t.Text)
		}
	}
	return texts
}

// Results are the results of tool calls, oldest first.
func (q Request) Results() []string {
	var texts []string
	for _, t := range q.Turns {
		if t.From == FromTool {
			texts = append(texts, t.Text)
		}
	}
	return texts
}

// facts is the end of an answer: enough to see in it whether a steer, a resumed session or a tool result arrived.
func (q Request) facts() string {
	users, results := q.Users(), q.Results()
	s := fmt.Sprintf("users=%d last_user=%q results=%d", len(users), tail(last(users), 100), len(results))
	if len(results) > 0 {
		s += fmt.Sprintf(" last_result=%q", tail(last(results), 200))
	}
	return s
}

func last(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}

// tail is the end of a text, because agents put their own words before the user's.
func tail(text string, n int) string {
	runes := []rune(strings.TrimSpace(text))
	return string(runes[max(0, len(runes)-n):])
}

// text flattens content: a string, a list of strings or blocks, or one block. What has no text becomes its JSON.
func text(content json.RawMessage) string {
	var s string
	if len(content) == 0 || json.Unmarshal(content, &s) == nil {
		return s
	}
	var list []json.RawMessage
	if json.Unmarshal(content, &list) == nil {
		parts := make([]string, len(list))
		for i, part := range list {
			parts[i] = text(part)
		}
		return strings.Join(parts, "\n")
	}
	var block struct{ Text *string }
	if json.Unmarshal(content, &block) == nil && block.Text != nil {
		return *block.Text
	}
	return string(content)
}

// schema is the part of a JSON schema that says which arguments there are.
type schema struct {
	Properties map[string]struct{ Type any }
}

func (s schema) arguments() map[string]string {
	types := make(map[string]string, len(s.Properties))
	for name, p := range s.Properties {
		types[name] = fmt.Sprint(p.Type)
	}
	return types
}
