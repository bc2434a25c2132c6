package codex

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// totals is a line that tells what a thread has used.
func totals(thread string, total, last int) []byte {
	b, _ := json.Marshal(map[string]any{"method": "thread/tokenUsage/updated", "params": map[string]any{"threadId": thread, "tokenUsage": map[string]any{
		"total": map[string]int{"inputTokens": total, "outputTokens": total}, "last": map[string]int{"inputTokens": last, "outputTokens": last},
	}}})
	return b
}

func TestUsage(t *testing.T) {
	resumed := task("x")
	resumed.Context, resumed.SessionID = journal.ContextResume, "T"
	t.Run("fresh", func(t *testing.T) {
		f, _ := began(t, task("x"))
		for _, total := range []int{100, 100, 250} { // told again with an account's limits
			f.Line(totals("T", total, 7))
		}
		require.Equal(t, int64(250), f.State.View.Usage.Input)
		require.Equal(t, 2, f.State.View.Turns)
	})
	t.Run("resumed without a word of the past", func(t *testing.T) {
		f, _ := began(t, resumed)
		f.Line(totals("T", 1100, 100))
		f.Line(totals("T", 1300, 200))
		require.Equal(t, int64(300), f.State.View.Usage.Input)
	})
	t.Run("resumed and the past told", func(t *testing.T) {
		f := agent.NewFold(Runtime{}, resumed, nil)
		say(f, f.Due())
		f.Line([]byte(`{"id":"init:","result":{}}`))
		say(f, f.Due())
		f.Line([]byte(`{"id":"thread:","result":{"thread":{"id":"T"}}}`))
		f.Line(totals("T", 1000, 100))
		say(f, f.Due())
		f.Line([]byte(`{"id":"prompt:first","result":{"turn":{"id":"R"}}}`))
		f.Line(totals("T", 1300, 100))
		require.Equal(t, int64(300), f.State.View.Usage.Input)
	})
	t.Run("a helper's thread", func(t *testing.T) {
		f, _ := began(t, task("x"))
		f.Line(totals("H", 40, 40))
		f.Line([]byte(`{"method":"turn/completed","params":{"threadId":"H","turn":{"id":"R","status":"completed"}}}`))
		require.Equal(t, int64(40), f.State.View.Usage.Input)
		require.Equal(t, 0, f.State.View.Turns)
		require.True(t, f.State.Working)
	})
}
