package acp

import (
	"encoding/json"

	"github.com/agent-runs/agent-runs/launch/agent/internal/rpc"
)

// version is the protocol's.
const version = 1

var wire = rpc.Dialect{Version: "2.0"}

// line is all that we read of a line of the agent's.
type line struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string   `json:"sessionId"`
		Update    update   `json:"update"`
		ToolCall  update   `json:"toolCall"` // of a request for permission
		Options   []option `json:"options"`
	} `json:"params"`
	Result result     `json:"result"`
	Error  *rpc.Error `json:"error"`
}

// update is a piece of news about a session. Which fields there are depends on
// the kind; a chunk has one piece of content and a tool call a list.
type update struct {
	Kind      string  `json:"sessionUpdate"`
	Content   content `json:"content"`
	ToolID    string  `json:"toolCallId"`
	Title     string  `json:"title"`
	ToolKind  string  `json:"kind"`
	Status    string  `json:"status"`
	Used      int64   `json:"used"`
	Cost      *cost   `json:"cost"`
	RawOutput struct {
		Output string `json:"output"`
		Error  string `json:"error"`
	} `json:"rawOutput"`
	RawInput struct {
		Command string `json:"command"`
	} `json:"rawInput"`
}

type cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// content is the text of what an agent says or a tool has put out.
type content struct{ text string }

type block struct {
	Text    string `json:"text"`
	Content struct {
		Text string `json:"text"`
	} `json:"content"`
}

// UnmarshalJSON takes one block or a list of them. What is neither has no text.
func (c *content) UnmarshalJSON(raw []byte) error {
	var blocks []block
	if len(raw) > 0 && raw[0] == '[' {
		if json.Unmarshal(raw, &blocks) != nil {
			return nil
		}
	} else {
		var one block
		if json.Unmarshal(raw, &one) != nil {
			return nil
		}
		blocks = []block{one}
	}
	for _, b := range blocks {
		c.text += b.Text + b.Content.Text
	}
	return nil
}

type option struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// result is that of all our requests together.
type result struct {
	Version      int `json:"protocolVersion"`
	Capabilities struct {
		Load     bool `json:"loadSession"`
		Sessions struct {
			Resume *struct{} `json:"resume"`
			Fork   *struct{} `json:"fork"`
		} `json:"sessionCapabilities"`
		Meta meta `json:"_meta"`
	} `json:"agentCapabilities"`
	Meta meta `json:"_meta"`

	SessionID string `json:"sessionId"`
	Modes     struct {
		Available []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
	Models struct {
		Available []struct {
			ID string `json:"modelId"`
		} `json:"availableModels"`
		Current string `json:"currentModelId"`
	} `json:"models"`
	Options []config `json:"configOptions"`

	StopReason string `json:"stopReason"`
	Outcome    string `json:"outcome"`
	Usage      *usage `json:"usage"`
}

// config is something of a session that can be chosen.
type config struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Current  any    `json:"currentValue"`
	Options  []struct {
		Value string `json:"value"`
	} `json:"options"`
}

// meta is where agents put what the protocol has no place for.
type meta struct {
	Steering struct {
		Supported bool `json:"supported"`
	} `json:"steering"`
	Quota struct {
		Tokens struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"token_count"`
	} `json:"quota"`
}

type usage struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	CacheRead  int64 `json:"cachedReadTokens"`
	CacheWrite int64 `json:"cachedWriteTokens"`
	Thought    int64 `json:"thoughtTokens"`
}
