package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/stretchr/testify/require"
)

// made is a home of runs that never ran. Records are written without a sync:
// nothing here is about power cuts.
type made struct {
	t    testing.TB
	home journal.Home
	rand *rand.Rand
	now  time.Time
}

func makeHome(t testing.TB) *made {
	h, err := journal.OpenHome(filepath.Join(t.TempDir(), "home"))
	require.NoError(t, err)
	return &made{t, h, rand.New(rand.NewPCG(1, 2)), time.Now().Add(-100 * 24 * time.Hour)}
}

// settle lets runs/ look untouched for a while, as it mostly is.
func (m *made) settle() {
	past := time.Now().Add(-time.Hour)
	require.NoError(m.t, os.Chtimes(m.home.Runs(), past, past))
}

func (m *made) write(path string, record any) {
	b, err := json.Marshal(record)
	require.NoError(m.t, err)
	require.NoError(m.t, os.WriteFile(path, append(b, '\n'), 0o600))
}

// fate is what shall have become of a run.
type fate struct {
	owner, name string
	status      string // queued, starting, running, stopping or a terminal one
	argv        []string
	damaged     string // file that is spoiled
	bare        bool   // nothing but a directory
	partOf      string
}

// run makes a run, each a minute younger than the one before.
func (m *made) run(f fate) string {
	m.now = m.now.Add(time.Minute)
	id := journal.NewID(m.now)
	require.NoError(m.t, os.Mkdir(m.home.Run(id), 0o700))
	if f.bare {
		return id
	}
	if f.argv == nil {
		f.argv = []string{"make", "test"}
	}
	self, err := launch.IdentityOf(os.Getpid())
	require.NoError(m.t, err)
	m.write(m.home.File(id, journal.LaunchFile), journal.Launch{Version: 1, ID: id, Owner: f.owner, Name: f.name, Cwd: "/", PartOf: f.partOf,
		Program: journal.Program{Runtime: "command", Argv: f.argv, EnvNames: []string{"PATH", "HOME"}}, CreatedAt: m.now,
		Asker: journal.Identity{BootID: self.BootID, PID: self.PID, StartTicks: self.StartTicks + 1}}) // dead
	m.progress(id, f)
	if f.damaged != "" {
		require.NoError(m.t, os.WriteFile(m.home.File(id, f.damaged), []byte("{"), 0o600))
	}
	return id
}

// progress writes the records up to the status.
func (m *made) progress(id string, f fate) {
	command := journal.Command{Version: 1, ID: id, RunID: id, Action: journal.ActionRun, Actor: f.owner, CreatedAt: m.now}
	admission := journal.Admission{Version: 1, ID: id, RunID: id, Action: journal.ActionRun, State: journal.Accepted, At: m.now}
	gone := journal.Identity{BootID: "another-boot", PID: 1, StartTicks: 1}
	process := journal.Process{Version: 1, ID: id, PID: 1, Identity: gone, Token: id, Shim: journal.Shim{PID: 1, Identity: gone}, StartedAt: m.now}
	code := map[string]int{journal.StatusFailed: 3}[f.status]
	exit := journal.Exit{Version: 1, ID: id, PID: 1, Code: &code, At: m.now.Add(time.Second), Observed: journal.ObservedWaited, Tree: journal.TreeEmpty, Leftovers: []journal.Leftover{}}
	stop := journal.Stop{Version: 1, ID: id, Cause: journal.CauseCancelled, At: m.now}
	file := func(name string) string { return m.home.File(id, name) }
	live := true
	switch f.status {
	case "lost":
		return
	case journal.StatusCompleted, journal.StatusFailed, journal.StatusStopped:
		live = false
		if f.status == journal.StatusStopped {
			m.write(file(journal.StopFile), stop)
		}
		m.write(file(journal.ExitFile), exit)
		status, cause := f.status, map[string]string{journal.StatusFailed: journal.CauseExit, journal.StatusStopped: journal.CauseCancelled}[f.status]
		m.write(file(journal.ResultFile), journal.Result{Version: 1, ID: id, Owner: f.owner, Status: status, Cause: cause, EndedAt: exit.At})
	case string(journal.PhaseStopping):
		m.write(file(journal.StopFile), stop)
	}
	if live {
		m.write(m.home.Command(id), command)
	}
	if f.status != string(journal.PhaseQueued) {
		m.write(m.home.Admission(id), admission)
	}
	if f.status != string(journal.PhaseQueued) && f.status != string(journal.PhaseStarting) {
		m.write(file(journal.ProcessFile), process)
	}
}

// crowd makes n runs of all kinds.
func (m *made) crowd(n int) {
	for i := range n {
		f := fate{owner: []string{"ann", "ann", "ann", "bob"}[m.rand.IntN(4)], status: journal.StatusCompleted}
		if m.rand.IntN(3) == 0 {
			f.name = fmt.Sprintf("job %d", m.rand.IntN(50))
		}
		switch k := m.rand.IntN(200); {
		case k < 40:
			f.status = journal.StatusFailed
		case k < 60:
			f.status = journal.StatusStopped
		case k < 64:
			f.status = string([]journal.Phase{journal.PhaseQueued, journal.PhaseStarting, journal.PhaseRunning, journal.PhaseStopping}[k-60])
		case k == 64:
			f.status = "lost"
		case k == 65:
			f.bare = true
		case k < 68:
			f.damaged = []string{journal.LaunchFile, journal.ResultFile}[k-66]
		case k < 80:
			f.partOf = "01KJMDZM00VN4DMTDYQKWM3A7Z"
		case k == 80:
			f.argv = []string{"sh", "-c", "printf 'a\tb\n'", fmt.Sprint(i)}
		}
		m.run(f)
	}
}
