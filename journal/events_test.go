package journal_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

func event(kind string) journal.Event {
	return journal.Event{At: time.Unix(1, 0).UTC(), RunID: "x", Type: kind}
}

func types(t *testing.T, path string, from int64) ([]string, int64) {
	t.Helper()
	events, next, err := journal.ReadEvents(path, from)
	require.NoError(t, err)
	list := []string{}
	for _, e := range events {
		require.Equal(t, journal.Version, e.Version)
		list = append(list, e.Type)
	}
	return list, next
}

// TestEventsPastATornLine: a line that a kill cut short spoils only itself.
func TestEventsPastATornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	got, next := types(t, path, 0)
	require.Empty(t, got)
	require.Zero(t, next)

	require.NoError(t, journal.AppendEvent(path, event("admitted")))
	got, next = types(t, path, 0)
	require.Equal(t, []string{"admitted"}, got)

	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := 1; cut < len(whole); cut++ {
		require.NoError(t, os.WriteFile(path, append(append([]byte{}, whole...), whole[:cut]...), 0o600))
		got, at := types(t, path, next)
		require.Empty(t, got, "half an event was read")
		require.Equal(t, next, at, "the reader went past what may still be written")
		require.NoError(t, journal.AppendEvent(path, event("started")))
		got, _ = types(t, path, at)
		// The cut may fall just before the newline: then the line is whole.
		require.Equal(t, "started", got[len(got)-1])
		require.Equal(t, cut == len(whole)-1, len(got) == 2)
	}
}

func TestEventsFromManyWritersAreWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 25 {
				if err := journal.AppendEvent(path, event("signal")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, _ := types(t, path, 0)
	require.Len(t, got, 200)
}

func TestEventsAreReadInPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	var all []string
	var next int64
	for _, kind := range []string{"admitted", "started", "exited", "settled"} {
		require.NoError(t, journal.AppendEvent(path, event(kind)))
		var got []string
		got, next = types(t, path, next)
		all = append(all, got...)
	}
	require.Equal(t, []string{"admitted", "started", "exited", "settled"}, all)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, info.Size(), next)
}
