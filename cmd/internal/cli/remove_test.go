package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/stretchr/testify/require"
)

func (m *made) remove(id string) error {
	v, err := Load(m.home, id)
	require.NoError(m.t, err)
	return Remove(m.home, v, false)
}

func (m *made) names(dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(m.t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestRemoveTakesEverything(t *testing.T) {
	for _, status := range []string{journal.StatusCompleted, journal.StatusFailed, journal.StatusStopped, "lost"} {
		t.Run(status, func(t *testing.T) {
			m := makeHome(t)
			id := m.run(fate{owner: "ann", status: status})
			m.write(m.home.Command(id), journal.Command{Version: 1, ID: id}) // its supervisor died before it took it away
			if status == "lost" {
				require.NoError(t, os.Remove(m.home.Command(id)))
			}
			require.NoError(t, m.remove(id))
			require.NoError(t, SyncRemovals(m.home))
			require.Empty(t, m.names(m.home.Runs()))
			require.Empty(t, m.names(m.home.Admissions()))
			require.Empty(t, m.names(m.home.Commands()))
		})
	}
}

func TestRemoveRefusesWhatIsNotOver(t *testing.T) {
	for _, status := range []journal.Phase{journal.PhaseQueued, journal.PhaseStarting, journal.PhaseRunning, journal.PhaseStopping} {
		m := makeHome(t)
		id := m.run(fate{owner: "ann", status: string(status)})
		require.Equal(t, Refused, codeOfTest(m.remove(id)))
		require.DirExists(t, m.home.Run(id))
	}
}

func TestRemoveRefusesWhileAShimIsAtWork(t *testing.T) {
	m := makeHome(t)
	id := m.run(fate{owner: "ann", status: journal.StatusCompleted})
	lock, err := launch.TryLock(m.home.File(id, journal.LockFile))
	require.NoError(t, err)
	require.Equal(t, Refused, codeOfTest(m.remove(id)))
	go lock.Close() // one that is about to leave is waited for
	require.NoError(t, m.remove(id))
}

// TestRemoveRefusesSurvivors has this very process survive a run.
func TestRemoveRefusesSurvivors(t *testing.T) {
	m := makeHome(t)
	id := m.run(fate{owner: "ann", status: journal.StatusCompleted})
	self, err := launch.IdentityOf(os.Getpid())
	require.NoError(t, err)
	unproven := func(alive journal.Identity) {
		code := 0
		m.write(m.home.File(id, journal.ProcessFile), journal.Process{Version: 1, ID: id, PID: 1, Identity: journal.Identity{BootID: self.BootID, PID: 1, StartTicks: 1 << 60}})
		m.write(m.home.File(id, journal.ExitFile), journal.Exit{Version: 1, ID: id, PID: 1, Code: &code, At: m.now, Observed: journal.ObservedPidfd, Tree: journal.TreeUnproven,
			Leftovers: []journal.Leftover{{PID: alive.PID, StartTicks: alive.StartTicks, Name: "survivor"}}})
	}
	unproven(self)
	err = m.remove(id)
	require.Equal(t, Unproven, codeOfTest(err))
	require.ErrorContains(t, err, "survivor")
	self.StartTicks++ // somebody else, who has our pid no more
	unproven(self)
	err = m.remove(id)
	require.Equal(t, Unproven, codeOfTest(err))
	require.ErrorContains(t, err, "killed; processes that cleared their environment")
	v, err := Load(m.home, id)
	require.NoError(t, err)
	require.NoError(t, Remove(m.home, v, true))
}

// TestNothingSurvivesARestart: after another boot the doubt is over.
func TestNothingSurvivesARestart(t *testing.T) {
	m := makeHome(t)
	id := m.run(fate{owner: "ann", status: journal.StatusCompleted})
	gone := journal.Identity{BootID: "another-boot", PID: 1, StartTicks: 1}
	m.write(m.home.File(id, journal.ProcessFile), journal.Process{Version: 1, ID: id, PID: 1, Identity: gone, Shim: journal.Shim{PID: 1, Identity: gone}})
	m.write(m.home.File(id, journal.ExitFile), journal.Exit{Version: 1, ID: id, PID: 1, At: m.now, Observed: journal.ObservedIdentityGone, Tree: journal.TreeUnproven, Leftovers: []journal.Leftover{}})
	require.NoError(t, m.remove(id))
}

func TestInterruptedRemovalsAreFinished(t *testing.T) {
	m := makeHome(t)
	id := m.run(fate{owner: "ann", status: journal.StatusCompleted})
	require.NoError(t, os.Rename(m.home.Run(id), trash(m.home, id)))
	require.NoError(t, os.WriteFile(filepath.Join(trash(m.home, id), "stdout.log"), []byte("x"), 0o600))
	left, err := Unfinished(m.home)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.NoError(t, FinishRemovals(m.home))
	require.Empty(t, m.names(m.home.Runs()))
	require.Empty(t, m.names(m.home.Admissions()))
}

// TestSettleBeforeRemoval: nothing is removed without its result recorded.
func TestSettleBeforeRemoval(t *testing.T) {
	m := makeHome(t)
	id := m.run(fate{owner: "ann", status: "lost"})
	v, err := Brief(m.home, id)
	require.NoError(t, err)
	require.Nil(t, v.Result)
	require.NoError(t, settle(m.home, v))
	v, err = Brief(m.home, id)
	require.NoError(t, err)
	require.Equal(t, journal.CauseLost, v.Result.Cause)
}
