package pi

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
)

// line is all that may stand in a line of pi that means something to us.
type line struct {
	Type string `json:"type"`

	// response
	ID      string `json:"id"`
	Command string `json:"command"`
	Success bool   `json:"success"`
	Error   string `json:"error"`
	Data    struct {
		Disposition  string   `json:"disposition"`
		SessionID    string   `json:"sessionId"`
		SessionFile  string   `json:"sessionFile"`
		Model        model    `json:"model"`
		IsStreaming  bool     `json:"isStreaming"`
		IsCompacting bool     `json:"isCompacting"`
		Models       []model  `json:"models"`
		Steering     []string `json:"steering"`
		FollowUp     []string `json:"followUp"`
	} `json:"data"`

	// events
	Message struct {
		Role       string `json:"role"`
		Content    []part `json:"content"`
		Usage      *usage `json:"usage"`
		StopReason string `json:"stopReason"`
		Error      string `json:"errorMessage"`
	} `json:"message"`
	Update struct {
		Type    string `json:"type"`
		Delta   string `json:"delta"`
		Content string `json:"content"`
	} `json:"assistantMessageEvent"`
	ToolID   string         `json:"toolCallId"`
	Tool     string         `json:"toolName"`
	Args     map[string]any `json:"args"`
	Result   result         `json:"result"`
	IsError  bool           `json:"isError"`
	Aborted  bool           `json:"aborted"`
	Steering []string       `json:"steering"`
	FollowUp []string       `json:"followUp"`
	Retry    string         `json:"errorMessage"`
}

type result struct {
	Content []part `json:"content"`
	Usage   *usage `json:"usage"` // of a compaction
}

type part struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
}

type model struct {
	ID       string `json:"id"`
	Provider string `json:"provider"`
}

func (m model) String() string {
	if m.ID == "" {
		return ""
	}
	return m.Provider + "/" + m.ID
}

// is reports whether this is the model with a name: PROVIDER/ID, or an ID.
func (m model) is(name string) bool { return name == m.String() || name == m.ID }

// request is a line in which an extension asks. Its message is a text where
// others have an object.
type request struct {
	ID      string   `json:"id"`
	Method  string   `json:"method"`
	Title   string   `json:"title"`
	Message string   `json:"message"`
	Options []string `json:"options"`
	Prefill string   `json:"prefill"`
}

// decode takes what is as expected and passes over the rest. It reports
// whether it was JSON at all.
func decode(data []byte, v any) bool {
	err := json.Unmarshal(data, v)
	var odd *json.UnmarshalTypeError // one field, and the others are filled
	return err == nil || errors.As(err, &odd)
}

// texts joins the parts of one kind.
func texts(parts []part) string {
	var all []string
	for _, p := range parts {
		if p.Type == "text" && p.Text != "" {
			all = append(all, p.Text)
		}
	}
	return strings.Join(all, "\n")
}

// usage is counted per call of the model. Its input has no cache reads in it.
type usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Reasoning  int64 `json:"reasoning"`
	Cost       *struct {
		Total float64 `json:"total"`
	} `json:"cost"`
}

func (u *usage) journal() *journal.Usage {
	j := &journal.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Reasoning}
	if u.Cost != nil {
		j.CostUSD = &u.Cost.Total
	}
	return j
}

// does says in a line what a tool call is about.
func does(args map[string]any) string {
	for _, name := range []string{"command", "path", "file_path", "pattern", "query", "url"} {
		if text, ok := args[name].(string); ok && text != "" {
			return text
		}
	}
	if len(args) == 0 {
		return ""
	}
	return string(encode(args))
}
