//go:build failpoint

package failpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/stretchr/testify/require"
)

func read(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

func TestHit(t *testing.T) {
	failpoint.Hit("before") // without a directory nothing happens
	dir := t.TempDir()
	t.Setenv("AGENT_RUNS_FAILPOINT_DIR", dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "armed"), []byte("launch/linked@cli"), 0o600))

	failpoint.Hit("launch/staged")
	require.NoFileExists(t, filepath.Join(dir, "hit"))

	// Two get there at once: one is held, the other goes on.
	passed := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			failpoint.Hit("launch/linked")
			passed <- struct{}{}
		})
	}
	<-passed
	require.Equal(t, fmt.Sprint(os.Getpid()), read(t, filepath.Join(dir, "hit")))
	select {
	case <-passed:
		t.Fatal("nobody was held")
	case <-time.After(20 * time.Millisecond):
	}
	failpoint.Hit("launch/linked") // who comes later is not held either
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	wg.Wait()

	trace := read(t, filepath.Join(dir, "trace"))
	require.Equal(t, 1, strings.Count(trace, "launch/staged@cli "))
	require.Equal(t, 3, strings.Count(trace, "launch/linked@cli "))
	require.NotContains(t, trace, "before")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 4, "armed, go, hit, trace")
}
