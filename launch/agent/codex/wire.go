package codex

import (
	"encoding/json"

	"github.com/agent-runs/agent-runs/launch/agent/internal/rpc"
)

// wire is the dialect: without the jsonrpc member.
var wire = rpc.Dialect{}

// line is all that we read of a line of the server's.
type line struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params params          `json:"params"`
	Result result          `json:"result"`
	Error  *rpc.Error      `json:"error"`
}

// params are those of all notifications and requests together.
type params struct {
	ThreadID   string          `json:"threadId"`
	TurnID     string          `json:"turnId"`
	ItemID     string          `json:"itemId"`
	Turn       turn            `json:"turn"`
	Item       item            `json:"item"`
	Delta      string          `json:"delta"`
	Usage      usage           `json:"tokenUsage"`
	Error      *failure        `json:"error"`
	WillRetry  bool            `json:"willRetry"`
	Message    string          `json:"message"`
	Summary    string          `json:"summary"`
	FromModel  string          `json:"fromModel"`
	ToModel    string          `json:"toModel"`
	RequestID  json.RawMessage `json:"requestId"`
	Command    string          `json:"command"`
	Cwd        string          `json:"cwd"`
	Reason     string          `json:"reason"`
	GrantRoot  string          `json:"grantRoot"`
	ServerName string          `json:"serverName"`
	Granted    json.RawMessage `json:"permissions"`
	Questions  []struct {
		ID       string `json:"id"`
		Question string `json:"question"`
		Options  []struct {
			Label string `json:"label"`
		} `json:"options"`
	} `json:"questions"`
}

type result struct {
	Thread struct {
		ID   string `json:"id"`
		Path string `json:"path"`
	} `json:"thread"`
	Model string `json:"model"`
	Turn  turn   `json:"turn"`
}

type turn struct {
	ID     string   `json:"id"`
	Status string   `json:"status"`
	Error  *failure `json:"error"`
	Items  []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"items"`
}

type failure struct {
	Message string `json:"message"`
	Details string `json:"additionalDetails"`
}

func (f *failure) text() string {
	switch {
	case f == nil:
		return ""
	case f.Details != "" && f.Details != f.Message:
		return f.Message + ": " + f.Details
	default:
		return f.Message
	}
}

// item is a piece of a turn. Which fields there are depends on the type.
type item struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	Text     string `json:"text"`
	Status   string `json:"status"`
	Command  string `json:"command"`
	Output   string `json:"aggregatedOutput"`
	Server   string `json:"server"`
	Tool     string `json:"tool"`
	Query    string `json:"query"`
	Path     string `json:"path"`
	Prompt   string `json:"prompt"`
	ExitCode *int   `json:"exitCode"`
	Success  *bool  `json:"success"`
	Summary  words  `json:"summary"`
	Content  words  `json:"content"`
	Changes  []struct {
		Path string `json:"path"`
	} `json:"changes"`
	Error *failure `json:"error"`
}

// words is a list of which only the strings are of use: the content of other
// items are objects.
type words []string

// UnmarshalJSON passes over what is no string.
func (w *words) UnmarshalJSON(b []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(b, &list) != nil {
		return nil
	}
	for _, raw := range list {
		var text string
		if json.Unmarshal(raw, &text) == nil && text != "" {
			*w = append(*w, text)
		}
	}
	return nil
}

type usage struct {
	Total tokens `json:"total"`
	Last  tokens `json:"last"`
}

// tokens are the server's counts. Input contains what came from the cache.
type tokens struct {
	Input      int64 `json:"inputTokens"`
	Cached     int64 `json:"cachedInputTokens"`
	CacheWrite int64 `json:"cacheWriteInputTokens"`
	Output     int64 `json:"outputTokens"`
	Reasoning  int64 `json:"reasoningOutputTokens"`
}
