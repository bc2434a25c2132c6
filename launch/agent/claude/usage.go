package claude

import (
	"maps"
	"slices"

	"github.com/agent-runs/agent-runs/journal"
)

// tokens is usage as the API counts it. Input has no cache reads in it.
type tokens struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	Details    struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (t *tokens) journal() journal.Usage {
	return journal.Usage{Input: t.Input, Output: t.Output, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite, Reasoning: t.Details.Thinking}
}

// spent is what one model used, subagents included.
type spent struct {
	Input      int64    `json:"inputTokens"`
	Output     int64    `json:"outputTokens"`
	CacheRead  int64    `json:"cacheReadInputTokens"`
	CacheWrite int64    `json:"cacheCreationInputTokens"`
	Thinking   int64    `json:"thinkingTokens"`
	Cost       *float64 `json:"costUSD"`
}

func (s spent) journal() journal.Usage {
	return journal.Usage{Input: s.Input, Output: s.Output, CacheRead: s.CacheRead, CacheWrite: s.CacheWrite, Reasoning: s.Thinking, CostUSD: s.Cost}
}

// meter turns what claude tells into differences. While a turn runs it counts
// message by message, so that a ceiling is noticed before the turn is over;
// the result has the last word.
type meter struct {
	message string        // whose count this is
	counted journal.Usage // of that message
	turn    journal.Usage // told since the last result
	cost    float64       // told by the last result: a sum
}

// see takes a count of a message, which may have grown.
func (m *meter) see(message string, t *tokens) *journal.Usage {
	if t == nil {
		return nil
	}
	if message != "" && message != m.message {
		m.message, m.counted = message, journal.Usage{}
	}
	more := less(t.journal(), m.counted)
	if more == (journal.Usage{}) {
		return nil
	}
	m.counted, m.turn = m.counted.Add(more), m.turn.Add(more)
	return &more
}

// end takes the result of a turn. Newer versions tell what was used since the
// last one; the older ones tell the tokens of the turn, and the cost as a sum
// over the process.
func (m *meter) end(r *result) *journal.Usage {
	var total journal.Usage
	if r.Usage != nil {
		total = r.Usage.journal()
	}
	if r.TotalCost != nil {
		cost := max(*r.TotalCost-m.cost, 0)
		m.cost, total.CostUSD = *r.TotalCost, &cost
	}
	if r.Since != nil {
		total = journal.Usage{}
		for _, model := range slices.Sorted(maps.Keys(r.Since)) {
			total = total.Add(r.Since[model].journal())
		}
	}
	more := less(total, m.turn)
	more.CostUSD = total.CostUSD
	*m = meter{cost: m.cost}
	if more == (journal.Usage{}) {
		return nil
	}
	return &more
}

// less is what a has more than b.
func less(a, b journal.Usage) journal.Usage {
	return journal.Usage{
		Input: max(a.Input-b.Input, 0), Output: max(a.Output-b.Output, 0), Reasoning: max(a.Reasoning-b.Reasoning, 0),
		CacheRead: max(a.CacheRead-b.CacheRead, 0), CacheWrite: max(a.CacheWrite-b.CacheWrite, 0),
	}
}
