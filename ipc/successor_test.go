package ipc_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

// TestASessionHasOneSuccessor: of many that would go on with a run, one is
// commanded, and it is the one that the run names.
func TestASessionHasOneSuccessor(t *testing.T) {
	h, err := journal.OpenHome(t.TempDir() + "/home")
	require.NoError(t, err)
	now := time.Now().UTC()
	old := journal.NewID(now)
	require.NoError(t, os.Mkdir(h.Run(old), 0o700))
	const racers = 8
	ids, errs := make([]string, racers), make([]error, racers)
	var wg sync.WaitGroup
	for i := range racers {
		ids[i] = journal.NewID(now)
		require.NoError(t, os.Mkdir(h.Run(ids[i]), 0o700))
		wg.Go(func() {
			l := journal.Launch{Version: journal.Version, ID: ids[i], RootID: old, Predecessor: old}
			errs[i] = ipc.PostSuccessor(h, l, journal.Command{Version: journal.Version, ID: ids[i], RunID: ids[i], Action: journal.ActionRun})
		})
	}
	wg.Wait()
	var won []string
	for i, err := range errs {
		if err == nil {
			won = append(won, ids[i])
			continue
		}
		require.ErrorIs(t, err, journal.ErrExists)
		require.NoFileExists(t, h.Command(ids[i]))
	}
	require.Len(t, won, 1)
	var s journal.Successor
	require.NoError(t, journal.Read(h.File(old, journal.SuccessorFile), &s))
	require.Equal(t, won[0], s.ID)
	require.FileExists(t, h.Command(won[0]))
}
