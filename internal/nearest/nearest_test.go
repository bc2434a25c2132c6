package nearest_test

import (
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/internal/nearest"
	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	known := []string{"id", "continue", "needs", "prompt", "command", "maxTurns", "maxTokens", "limits.turns", "concurrency"}
	for _, c := range []struct{ word, want string }{
		{"need", "needs"},
		{"promt", "prompt"},
		{"pormpt", "prompt"},
		{"PROMPT", "prompt"},
		{"max-turns", "maxTurns"},
		{"max_tokens", "maxTokens"},
		{"maxtoken", "maxTokens"},
		{"limits.turn", "limits.turns"},
		{"concurency", "concurrency"},
		{"di", "id"},
		{"cwd", ""},
		{"nonsense", ""},
		{"x", ""},
		{"", ""},
		{"needs", "needs"},
		{"prömpt", "prompt"},
		{strings.Repeat("x", 1<<20), ""},
		{strings.Repeat("\xff", 300), ""},
	} {
		require.Equal(t, c.want, nearest.Of(c.word, known), c.word)
	}
	require.Empty(t, nearest.Of("x", nil))
	require.Equal(t, "ab", nearest.Of("a", []string{"ab", "ac"}))
}
