package journal_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"
)

// FuzzRead: whatever the bytes, the answer is a whole record or an error of
// one kind, and a whole one is written back to the same value.
func FuzzRead(f *testing.F) {
	golden, err := filepath.Glob(filepath.Join(goldenDir, "*.json"))
	require.NoError(f, err)
	for _, path := range golden {
		body, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(body)
	}
	for _, s := range []string{"", "{}", "null", "\x00\x00", `{"version":1e9}`, `{"version":1,"code":256}`, `{"version":1}{}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		path := filepath.Join(t.TempDir(), "exit.json")
		require.NoError(t, os.WriteFile(path, body, 0o600))
		var e journal.Exit
		if kind(t, journal.Read(path, &e)) != fine {
			return
		}
		require.Equal(t, journal.Version, e.Version)
		again, err := json.Marshal(e)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, again, 0o600))
		var e2 journal.Exit
		require.NoError(t, journal.Read(path, &e2))
		twice, err := json.Marshal(e2)
		require.NoError(t, err)
		require.Equal(t, string(again), string(twice))
	})
}

// FuzzReadEvents: any file, read from any offset in any number of steps,
// gives only events that have a type, and moves on line by line.
func FuzzReadEvents(f *testing.F) {
	whole := []byte(`{"version":1,"runId":"x","type":"started"}` + "\n")
	for _, b := range [][]byte{nil, whole, whole[:20], append(bytes.Clone(whole[:20]), whole...), []byte("\n\n\x00\n"), append(bytes.Clone(whole), whole[:30]...)} {
		f.Add(b, uint16(0))
		f.Add(b, uint16(7))
	}
	f.Fuzz(func(t *testing.T, body []byte, from uint16) {
		path := filepath.Join(t.TempDir(), "events.jsonl")
		require.NoError(t, os.WriteFile(path, body, 0o600))
		events, next, err := journal.ReadEvents(path, int64(from))
		require.NoError(t, err)
		require.GreaterOrEqual(t, next, int64(from))
		require.LessOrEqual(t, next, max(int64(len(body)), int64(from)))
		for _, e := range events {
			require.NotEmpty(t, e.Type)
		}
		if next > int64(from) {
			require.Equal(t, byte('\n'), body[next-1])
		}
		rest, end, err := journal.ReadEvents(path, next)
		require.NoError(t, err)
		require.Empty(t, rest)
		require.Equal(t, next, end)
	})
}

// FuzzValidID: only names in the one spelling ever become part of a path.
func FuzzValidID(f *testing.F) {
	for _, s := range []string{"", "01KJMDZM00VN4DMTDYQKWM3A7Z", "01kjmdzm00vn4dmtdyqkwm3a7z", "81KJMDZM00VN4DMTDYQKWM3A7Z", "01KJMDZM00VN4DMTDYQKWM3A7I", "../../../../../../etc/pass", "01KJMDZM00VN4DMTDYQKWM3A7\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ulid.ParseStrict(s)
		require.Equal(t, err == nil && id.String() == s, journal.ValidID(s), "%q", s)
	})
}
