package launch

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// gates are the two ways to hold a child. The helper is macOS's; here it goes
// through the same table as the fork.
var gates = map[string]func(*prepared) (*Gated, error){
	"fork": func(p *prepared) (*Gated, error) { return forkGated(p.child(&tree{})) },
	"exec": execGated,
}

func eachGate(t *testing.T, f func(t *testing.T, start func(*prepared) (*Gated, error))) {
	for name, start := range gates {
		t.Run(name, func(t *testing.T) { f(t, start) })
	}
}

// child prepares argv, with its stdout in a file.
func child(t testing.TB, argv ...string) (p *prepared, out string) {
	t.Helper()
	dir := t.TempDir()
	p = &prepared{path: argv[0], argv: argv, env: []string{"PATH=/usr/bin:/bin"}, dir: dir, umask: 0o22, mark: filepath.Join(dir, "never-ran")}
	out = filepath.Join(dir, "stdout")
	var err error
	p.stdio[0], err = os.Open(os.DevNull)
	require.NoError(t, err)
	p.stdio[1], err = os.OpenFile(out, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	require.NoError(t, err)
	p.stdio[2] = p.stdio[1]
	t.Cleanup(func() { p.stdio[0].Close(); p.stdio[1].Close() })
	return p, out
}

// run holds the child, opens the gate and returns how it ended and what it
// wrote. The error is that of the gate.
func run(t *testing.T, start func(*prepared) (*Gated, error), p *prepared, out string) (string, syscall.WaitStatus, error) {
	t.Helper()
	g, err := start(p)
	if err != nil {
		return "", 0, err
	}
	err = g.Open()
	var ws syscall.WaitStatus
	_, werr := syscall.Wait4(g.PID, &ws, 0, nil)
	require.NoError(t, werr)
	text, rerr := os.ReadFile(out)
	require.NoError(t, rerr)
	return string(text), ws, err
}

// good runs a child that has to end well.
func good(t *testing.T, start func(*prepared) (*Gated, error), p *prepared, out string) string {
	t.Helper()
	text, ws, err := run(t, start, p, out)
	require.NoError(t, err)
	require.True(t, ws.Exited() && ws.ExitStatus() == 0, "%v: %s", ws, text)
	require.NoFileExists(t, p.mark, "the program ran and the mark says it did not")
	return text
}

func TestGateHoldsUntilOpened(t *testing.T) {
	eachGate(t, func(t *testing.T, start func(*prepared) (*Gated, error)) {
		p, out := child(t, "/bin/sh", "-c", "echo ran")
		g, err := start(p)
		require.NoError(t, err)
		self, err := os.Readlink("/proc/self/exe")
		require.NoError(t, err)
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", g.PID))
		require.NoError(t, err)
		require.Equal(t, self, exe, "it is not itself at the gate any more")
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Empty(t, text)
		require.NoError(t, g.Open())
		_, err = syscall.Wait4(g.PID, nil, 0, nil)
		require.NoError(t, err)
		text, err = os.ReadFile(out)
		require.NoError(t, err)
		require.Equal(t, "ran\n", string(text))
	})
}

func TestGateAbandoned(t *testing.T) {
	eachGate(t, func(t *testing.T, start func(*prepared) (*Gated, error)) {
		p, out := child(t, "/bin/sh", "-c", "echo ran")
		g, err := start(p)
		require.NoError(t, err)
		g.Abandon()
		require.ErrorIs(t, syscall.Kill(g.PID, 0), syscall.ESRCH, "it was not reaped")
		_, err = os.Lstat(p.mark)
		require.NoError(t, err, "it left without its mark")
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Empty(t, text)
	})
}

// TestGateStages: each way to fail names its stage and its errno, and the
// program has not run.
func TestGateStages(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(p *prepared)
		stage string
		errno syscall.Errno
	}{
		"cwd is gone":            {func(p *prepared) { p.dir = "/nonexistent" }, "cwd", syscall.ENOENT},
		"cwd is a file":          {func(p *prepared) { p.dir = "/etc/passwd" }, "cwd", syscall.ENOTDIR},
		"program is gone":        {func(p *prepared) { p.path = "/nonexistent" }, "exec", syscall.ENOENT},
		"program is a directory": {func(p *prepared) { p.path = "/" }, "exec", syscall.EACCES},
		"no permission":          {func(p *prepared) { p.path = "/etc/passwd" }, "exec", syscall.EACCES},
		"no format":              {func(p *prepared) { p.path = program(t, "echo ran\n") }, "exec", syscall.ENOEXEC},
		"interpreter is gone":    {func(p *prepared) { p.path = program(t, "#!/nonexistent/sh\necho ran\n") }, "exec", syscall.ENOENT},
		"one argument too long":  {func(p *prepared) { p.argv = append(p.argv, strings.Repeat("x", 5<<20)) }, "exec", syscall.E2BIG},
		"a limit above its max": {func(p *prepared) { p.limit = map[int]unix.Rlimit{unix.RLIMIT_CORE: {Cur: 2, Max: 1}} },
			"limit", syscall.EINVAL},
	} {
		t.Run(name, func(t *testing.T) {
			eachGate(t, func(t *testing.T, start func(*prepared) (*Gated, error)) {
				p, out := child(t, "/bin/sh", "-c", "echo ran")
				c.spoil(p)
				text, _, err := run(t, start, p, out)
				var at *stageError
				require.ErrorAs(t, err, &at)
				require.Equal(t, c.stage, at.stage, "%v", err)
				require.ErrorIs(t, err, c.errno)
				require.Empty(t, text)
			})
		})
	}
}

func TestGatePassesBytesOn(t *testing.T) {
	eachGate(t, func(t *testing.T, start func(*prepared) (*Gated, error)) {
		p, out := child(t, "/usr/bin/printf", `%s\0`, "", "two words", "\xff\xfe", "-", `{"a":1}`)
		require.Equal(t, "\x00two words\x00\xff\xfe\x00-\x00{\"a\":1}\x00", good(t, start, p, out))

		p, out = child(t, "/bin/cat", "/proc/self/environ")
		p.env = []string{"A=1", "B=\xff\n", "A=2", "noequals", "=x", "E="}
		require.Equal(t, strings.Join(p.env, "\x00")+"\x00", good(t, start, p, out))

		p, out = child(t, "/bin/cat", "/proc/self/cmdline")
		p.argv = append(p.argv[:0:0], "not its name", "/proc/self/cmdline")
		require.Equal(t, "not its name\x00/proc/self/cmdline\x00", good(t, start, p, out))
	})
}

// statusField reads one line of /proc/PID/status.
func statusField(text, name string) string {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// TestGateGivesCleanSignals: what the supervisor's first caller ignored or
// blocked, and what the shim ignores, is nothing to the child.
func TestGateGivesCleanSignals(t *testing.T) {
	ignored := []os.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGUSR2}
	signal.Ignore(ignored...)
	defer func() {
		// Reset alone would leave them ignored for the children of later tests,
		// and SIGHUP even after Notify.
		signal.Notify(make(chan os.Signal, 1), ignored...)
		signal.Reset(ignored[1:]...)
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var block, old unix.Sigset_t
	block.Val[0] = 1<<(syscall.SIGTERM-1) | 1<<(syscall.SIGUSR1-1) | 1<<(syscall.SIGINT-1)
	require.NoError(t, unix.PthreadSigmask(unix.SIG_BLOCK, &block, &old))
	defer unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil)
	eachGate(t, func(t *testing.T, start func(*prepared) (*Gated, error)) {
		p, out := child(t, "/bin/cat", "/proc/self/status")
		text := good(t, start, p, out)
		for _, set := range []string{"SigBlk", "SigIgn", "SigPnd", "ShdPnd"} {
			require.Equal(t, strings.Repeat("0", 16), statusField(text, set), set)
		}
	})
}

func TestGateLeaksNoDescriptor(t *testing.T) {
	// What whoever runs the tests left open is no shim's.
	require.NoError(t, keepDescriptors())
	leak, err := os.Open("/etc/passwd") // as any open file of the shim
	require.NoError(t, err)
	defer leak.Close()
	eachGate(t, func(t *testing.T, start func(*prepared) (*Gated, error)) {
		p, out := child(t, "/bin/sh", "-c", "exec ls /proc/$$/fd")
		// ls opens the directory as 3.
		require.Equal(t, []string{"0", "1", "2", "3"}, strings.Fields(good(t, start, p, out)))
	})
}

func TestGateBeginsASession(t *testing.T) {
	eachGate(t, func(t *testing.T, start func(*prepared) (*Gated, error)) {
		p, out := child(t, "/bin/cat", "/proc/self/stat")
		st, err := parseStat([]byte(good(t, start, p, out)))
		require.NoError(t, err)
		require.Equal(t, st.pid, st.sid)
		require.Equal(t, st.pid, st.pgid)
		require.Equal(t, os.Getpid(), st.ppid)
	})
}
