package acp

import (
	"encoding/json"

	"github.com/agent-runs/agent-runs/launch/agent"
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
	MessageID string  `json:"messageId"` // of a chunk; not every agent tells it
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

// content is what an agent says or a tool has put out: one block or a list of
// them. It is a part of the line and decoded when it is wanted.
type content []byte

// UnmarshalJSON keeps where it is. The line outlives the update.
func (c *content) UnmarshalJSON(raw []byte) error {
	*c = raw
	return nil
}

// text is the text of one block.
func (c content) text() string {
	var b struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(c, &b) != nil {
		return ""
	}
	return b.Text
}

// ending is the end of what a list of blocks says.
func (c content) ending() string {
	var blocks []struct {
		Content struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal(c, &blocks) != nil {
		return ""
	}
	var text string
	for _, b := range blocks {
		text = agent.Tail(text + b.Content.Text)
	}
	return text
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
		Current string `json:"currentModeId"`
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
