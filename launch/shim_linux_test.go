package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestShimSaysWhyNothingRan: every reason is recorded with its stage, and a
// shim that could not start anything leaves nothing.
func TestShimSaysWhyNothingRan(t *testing.T) {
	s := newScene(t)
	for name, c := range map[string]struct {
		spoil func(l *journal.Launch)
		stage string
		errno syscall.Errno
	}{
		"no environment":        {func(l *journal.Launch) { os.Remove(l.EnvFile) }, "env", syscall.ENOENT},
		"a foreign environment": {func(l *journal.Launch) { os.Chmod(l.EnvFile, 0o644) }, "env", 0},
		"no cwd":                {func(l *journal.Launch) { l.Cwd = "/nonexistent" }, "cwd", syscall.ENOENT},
		"a file as cwd":         {func(l *journal.Launch) { l.Cwd = "/etc/passwd" }, "cwd", syscall.ENOTDIR},
		"no program":            {func(l *journal.Launch) { l.Program.Argv = []string{"no-such-program"} }, "program", 0},
		"no program at a path":  {func(l *journal.Launch) { l.Program.Argv = []string{"./no-such-program"} }, "program", syscall.ENOENT},
		"a directory":           {func(l *journal.Launch) { l.Program.Argv = []string{"/"} }, "program", syscall.EISDIR},
		"not executable":        {func(l *journal.Launch) { l.Program.Argv = []string{"/etc/passwd"} }, "program", syscall.EACCES},
		"no format":             {func(l *journal.Launch) { l.Program.Argv = []string{program(t, "x\n")} }, "exec", syscall.ENOEXEC},
		"no stdin":              {func(l *journal.Launch) { l.Stdin = journal.Stdin{Mode: "file", Path: "/nonexistent"} }, "stdin", syscall.ENOENT},
		"output is a link":      {func(l *journal.Launch) { os.Symlink("/etc/passwd", s.home.File(l.ID, journal.StdoutFile)) }, "output", syscall.ELOOP},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scene{t, s.home}
			l := s.launch("subreaper", 0, "sh", "-c", "echo ran")
			c.spoil(l)
			r, shim := s.start(l)
			require.True(t, r.Failed, "%+v", r)
			require.Empty(t, r.Error)
			e := s.exit(l.ID)
			require.NotNil(t, e.LaunchError)
			require.Equal(t, c.stage, e.LaunchError.Stage, "%+v", e.LaunchError)
			require.Equal(t, int(c.errno), e.LaunchError.Errno, "%+v", e.LaunchError)
			require.Nil(t, e.Code)
			require.Nil(t, e.Signal)
			require.Equal(t, journal.TreeEmpty, e.Tree)
			eventually(t, "the shim to leave", func() bool { alive, err := Alive(shim); return err == nil && !alive })
			_, err := TryLock(s.home.File(l.ID, journal.LockFile))
			require.NoError(t, err)
		})
	}
}

// TestNeverTwice: a shim that finds a process record starts nothing, whoever
// asks it to.
func TestNeverTwice(t *testing.T) {
	s := newScene(t)
	l := s.launch("subreaper", 0, "sh", "-c", "echo ran")
	r, _ := s.start(l)
	require.NotNil(t, r.Process)
	s.exit(l.ID)
	eventually(t, "the lock", func() bool {
		lock, err := TryLock(s.home.File(l.ID, journal.LockFile))
		if err == nil {
			lock.Close()
		}
		return err == nil
	})
	env, err := WriteEnv(l.ID, s.home.Run(l.ID), nil)
	require.NoError(t, err)
	defer os.Remove(env)
	again, shim, err := assign(s.home, l.ID, SpawnShim)
	require.NoError(t, err)
	reap(shim.PID)
	require.Nil(t, again.Process)
	require.Contains(t, again.Error, "was started before")
	require.Equal(t, "ran\n", s.output(l.ID))
}

// TestShimGivesNothingOfItsOwn looks at a child from inside.
func TestShimGivesNothingOfItsOwn(t *testing.T) {
	require.NoError(t, keepDescriptors()) // as who starts a supervisor does
	s := newScene(t)
	// The status is read by the shell itself: while it forks, a shell blocks
	// all signals, and a cat that is quick enough would see that.
	l := s.launch("subreaper", 0, "sh", "-c", "env; echo --; ls /proc/$$/fd; echo --; while read -r line; do echo \"$line\"; done </proc/self/status; echo --; umask; pwd")
	l.Umask = 0o77
	r, _ := s.start(l)
	require.NotNil(t, r.Process)
	require.Equal(t, 0, *s.exit(l.ID).Code)
	part := strings.Split(s.output(l.ID), "--\n")
	require.Contains(t, part[0], "AGENT_RUNS_RUN_ID="+l.ID+"\n")
	require.Contains(t, part[0], "AGENT_RUNS_HOME="+s.home.Dir+"\n")
	require.Equal(t, 2, strings.Count(part[0], "AGENT_RUNS_"), "%s", part[0])
	require.NotContains(t, part[0], "GOGC")
	require.Equal(t, "0\n1\n2\n", part[1])
	for _, set := range []string{"SigBlk", "SigIgn"} {
		require.Equal(t, strings.Repeat("0", 16), statusField(part[2], set), set)
	}
	require.Equal(t, "0077\n"+s.home.Run(l.ID)+"\n", part[3])
	info, err := os.Stat(s.home.File(l.ID, journal.StdoutFile))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// TestRecordBeforeTheGate: what the child can read of itself when it begins
// is durable already.
func TestRecordBeforeTheGate(t *testing.T) {
	s := newScene(t)
	l := s.launch("subreaper", 0, "sh", "-c", `cat "$AGENT_RUNS_HOME/runs/$AGENT_RUNS_RUN_ID/process.json"; echo $$`)
	r, _ := s.start(l)
	require.NotNil(t, r.Process)
	s.exit(l.ID)
	body, err := os.ReadFile(s.home.File(l.ID, journal.ProcessFile))
	require.NoError(t, err)
	require.Equal(t, string(body)+fmt.Sprintln(r.Process.PID), s.output(l.ID))
}

func TestStdin(t *testing.T) {
	s := newScene(t)
	file := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.WriteFile(file, []byte("from a file"), 0o600))
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, unix.Mkfifo(fifo, 0o600))
	for name, c := range map[string]struct {
		stdin journal.Stdin
		want  string
	}{
		"nothing":               {journal.Stdin{Mode: "empty"}, ""},
		"a file":                {journal.Stdin{Mode: "file", Path: file}, "from a file"},
		"a fifo nobody feeds":   {journal.Stdin{Mode: "file", Path: fifo}, ""},
		"steered, then its end": {journal.Stdin{Mode: "open"}, "steered"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scene{t, s.home}
			l := s.launch("subreaper", 0, "cat")
			l.Stdin = c.stdin
			r, shim := s.start(l)
			require.NotNil(t, r.Process)
			if c.stdin.Mode == "open" {
				// One writer after another: the child must see no end between them.
				for _, part := range []string{"stee", "red"} {
					require.NoError(t, os.WriteFile(s.home.File(l.ID, journal.StdinFile), []byte(part), 0))
				}
				require.NoError(t, Signal(shim, SignalEndStdin))
			}
			require.Equal(t, 0, *s.exit(l.ID).Code)
			require.Equal(t, c.want, s.output(l.ID))
		})
	}
}
