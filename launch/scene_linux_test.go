package launch

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

// scene is a home in which shims are started without a supervisor: the test
// holds its lock, and its record says that nobody wants it back.
type scene struct {
	t    testing.TB
	home journal.Home
}

func newScene(t testing.TB) *scene {
	h, err := journal.OpenHome(filepath.Join(t.TempDir(), "home"))
	require.NoError(t, err)
	lock, err := TryLock(h.SupervisorLock())
	require.NoError(t, err)
	t.Cleanup(func() { lock.Close() })
	require.NoError(t, journal.Replace(h.Supervisor(), journal.Supervisor{Version: 1, State: journal.SupervisorStopped}))
	return &scene{t, h}
}

// launch records a run as an asker does.
func (s *scene) launch(tree string, grace time.Duration, argv ...string) *journal.Launch {
	id := journal.NewID(time.Now())
	require.NoError(s.t, os.Mkdir(s.home.Run(id), 0o700))
	asker, err := IdentityOf(os.Getpid())
	require.NoError(s.t, err)
	env := []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "AGENT_RUNS_TREE=kept from the child"}
	path, err := WriteEnv(id, s.home.Run(id), env)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { os.Remove(path) })
	return &journal.Launch{Version: 1, ID: id, RootID: id, Owner: "user", Cwd: s.home.Run(id), Program: journal.Program{Runtime: "command", Argv: argv},
		Stdin: journal.Stdin{Mode: "empty"}, Context: "fresh", Tree: tree, Umask: 0o22, EnvFile: path, Asker: asker,
		Limits: journal.Limits{GraceMS: grace.Milliseconds()}, CreatedAt: time.Now().UTC()}
}

// assign gives a recorded run to a shim.
func assign(h journal.Home, id string, spawn func(journal.Home) (*ShimProcess, error)) (Report, journal.Identity, error) {
	lock, err := TryLock(h.File(id, journal.LockFile))
	if err != nil {
		return Report{}, journal.Identity{}, err
	}
	defer lock.Close()
	p, err := spawn(h)
	if err != nil {
		return Report{}, journal.Identity{}, err
	}
	if err := p.Assign(Assignment{RunID: id}, lock); err != nil {
		return Report{}, p.ID, err
	}
	lock.Close() // as the supervisor does: from here on the shim alone holds it
	r, err := p.Report()
	return r, p.ID, err
}

// start records the run and gives it to a shim of this process.
func (s *scene) start(l *journal.Launch) (Report, journal.Identity) {
	require.NoError(s.t, journal.WriteOnce(s.home.File(l.ID, journal.LaunchFile), l))
	r, shim, err := assign(s.home, l.ID, SpawnShim)
	require.NoError(s.t, err)
	s.t.Cleanup(func() {
		Signal(shim, syscall.SIGKILL)
		reap(shim.PID)
	})
	return r, shim
}

// exit waits for the exit record.
func (s *scene) exit(id string) journal.Exit {
	s.t.Helper()
	var e journal.Exit
	eventually(s.t, "the exit record", func() bool {
		err := journal.Read(s.home.File(id, journal.ExitFile), &e)
		if !errors.Is(err, journal.ErrMissing) {
			require.NoError(s.t, err)
		}
		return err == nil
	})
	return e
}

func (s *scene) output(id string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.home.File(id, journal.StdoutFile))
	require.NoError(s.t, err)
	return string(b)
}
