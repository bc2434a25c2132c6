package claude

import (
	"encoding/json"
	"errors"
)

// line is all that may stand in a line of claude that means something to us.
type line struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	Session string `json:"session_id"`
	Model   string `json:"model"` // of system/init
	UUID    string `json:"uuid"`
	Replay  bool   `json:"isReplay"`
	Parent  string `json:"parent_tool_use_id"` // of what a subagent does
	Message body   `json:"message"`
	Event   struct {
		Type    string `json:"type"`
		Message body   `json:"message"`
		Delta   struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"delta"`
		Usage *tokens `json:"usage"`
	} `json:"event"`

	// control_request, control_response, control_cancel_request
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype string         `json:"subtype"`
		Tool    string         `json:"tool_name"`
		Input   map[string]any `json:"input"`
	} `json:"request"`
	Response struct {
		Subtype   string `json:"subtype"`
		RequestID string `json:"request_id"`
		Error     string `json:"error"`
		Response  struct {
			Models []struct {
				Value string `json:"value"`
			} `json:"models"`
		} `json:"response"`
	} `json:"response"`

	// system/background_tasks_changed
	Tasks []struct {
		Description string `json:"description"`
	} `json:"tasks"`

	// command_lifecycle
	Command string `json:"command_uuid"`
	State   string `json:"state"`

	// system/api_retry
	Attempt    int64  `json:"attempt"`
	MaxRetries int64  `json:"max_retries"`
	Status     int64  `json:"error_status"`
	Error      string `json:"error"`

	result
}

// result is the end of a turn.
type result struct {
	Result    string           `json:"result"`
	Errors    []string         `json:"errors"`
	IsError   bool             `json:"is_error"`
	Reason    string           `json:"terminal_reason"`
	APIStatus int64            `json:"api_error_status"`
	Messages  []string         `json:"user_message_uuids"`
	Usage     *tokens          `json:"usage"`
	TotalCost *float64         `json:"total_cost_usd"`
	Models    map[string]spent `json:"modelUsage"`
	Since     map[string]spent `json:"model_usage_since_last_result"`
}

// body is a message to or from the model. Its content is a text or blocks.
type body struct {
	ID      string  `json:"id"`
	Model   string  `json:"model"`
	Content any     `json:"content"`
	Usage   *tokens `json:"usage"`
}

// blocks are the parts of the content, where it has parts.
func (b *body) blocks() []map[string]any {
	list, _ := b.Content.([]any)
	var all []map[string]any
	for _, one := range list {
		if block, ok := one.(map[string]any); ok {
			all = append(all, block)
		}
	}
	return all
}

func text(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

// decode takes what is as expected and passes over the rest. It reports
// whether it was JSON at all.
func decode(data []byte, v any) bool {
	err := json.Unmarshal(data, v)
	var odd *json.UnmarshalTypeError // one field, and the others are filled
	return err == nil || errors.As(err, &odd)
}
