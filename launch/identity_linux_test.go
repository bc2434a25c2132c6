package launch

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestParseStat(t *testing.T) {
	tail := " S 1 2 3 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 8472913 0 0"
	for _, name := range []string{"sleep", "", "a b", "a)", "(a", ")(", "a) Z 9 9 9", "new\nline", ") S 1 (", "\xff"} {
		st, err := parseStat([]byte("42 (" + name + ")" + tail + "\n"))
		require.NoError(t, err, "%q", name)
		require.Equal(t, []int{42, 1, 2, 3}, []int{st.pid, st.ppid, st.pgid, st.sid}, "%q", name)
		require.EqualValues(t, 8472913, st.start)
		require.Equal(t, name, st.name)
		require.True(t, st.live())
	}
	for _, bad := range []string{"", "42", "42 (a", "42 a)", ")(", "42 (a) S 1 2", "x (a)" + tail, "42 (a)" + strings.Replace(tail, "8472913", "-1", 1)} {
		_, err := parseStat([]byte(bad))
		require.Error(t, err, "%q", bad)
	}
}

func FuzzParseStat(f *testing.F) {
	own, err := os.ReadFile("/proc/self/stat")
	require.NoError(f, err)
	f.Add(own)
	for _, s := range []string{"", "()", "1 (a)) Z", "1 (\n) S 1 2 3 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 5"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		st, err := parseStat(line)
		if err != nil {
			return
		}
		open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
		require.Equal(t, string(line[open+1:end]), st.name)
		require.NotContains(t, string(line[end+1:]), ")", "a field was taken from the name")
	})
}

// TestNamesThatLie starts a process whose name looks like the fields behind it.
func TestNamesThatLie(t *testing.T) {
	for _, name := range []string{"a) Z 1 (b", "x\ny", "))))", "(((", "a b c"} {
		path := filepath.Join(t.TempDir(), name)
		copyFile(t, "/bin/sleep", path)
		c := exec.Command(path, "1000")
		require.NoError(t, c.Start())
		st, err := readStat(c.Process.Pid)
		require.NoError(t, err)
		require.NoError(t, c.Process.Kill())
		c.Wait()
		require.Equal(t, name, st.name)
		require.True(t, st.live())
		require.Equal(t, os.Getpid(), st.ppid)
	}
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	src, err := os.Open(from)
	require.NoError(t, err)
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(dst, src)
	require.NoError(t, err)
	require.NoError(t, dst.Close())
}

// zombie returns a process that has ended and was not read yet.
func zombie(t *testing.T, command string) (*exec.Cmd, journal.Identity) {
	t.Helper()
	c := exec.Command("/bin/sh", "-c", "read x; "+command)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	id, err := IdentityOf(c.Process.Pid)
	require.NoError(t, err)
	in.Close()
	eventually(t, "a zombie", func() bool {
		st, err := readStat(id.PID)
		require.NoError(t, err)
		return st.state == 'Z'
	})
	return c, id
}

// TestAZombieIsGone: it answers kill(pid, 0), and runs nothing any more.
func TestAZombieIsGone(t *testing.T) {
	c, id := zombie(t, "exit 3")
	defer c.Wait()
	require.NoError(t, syscall.Kill(id.PID, 0))
	alive, err := Alive(id)
	require.NoError(t, err)
	require.False(t, alive)
	_, err = IdentityOf(id.PID)
	require.ErrorIs(t, err, ErrGone)
	_, err = Open(id)
	require.ErrorIs(t, err, ErrGone)
	require.ErrorIs(t, Signal(id, unix.SIGKILL), ErrGone)
	ws, ok := zombieStatus(id)
	require.True(t, ok)
	require.Equal(t, 3, ws.ExitStatus())
	id.StartTicks++
	_, ok = zombieStatus(id)
	require.False(t, ok, "another's status was taken")
}

func TestIdentityIsOfThisBoot(t *testing.T) {
	id, err := IdentityOf(os.Getpid())
	require.NoError(t, err)
	alive, err := Alive(id)
	require.NoError(t, err)
	require.True(t, alive)
	for _, other := range []journal.Identity{{BootID: "another", PID: id.PID, StartTicks: id.StartTicks}, {BootID: id.BootID, PID: id.PID, StartTicks: id.StartTicks - 1}} {
		alive, err = Alive(other)
		require.NoError(t, err)
		require.False(t, alive)
		_, err = Open(other)
		require.ErrorIs(t, err, ErrGone)
		require.ErrorIs(t, Signal(other, 0), ErrGone)
	}
	for _, never := range []int{0, -1, 1 << 30} {
		_, err = Open(journal.Identity{BootID: id.BootID, PID: never})
		require.ErrorIs(t, err, ErrGone)
	}
	_, err = IdentityOf(1 << 30)
	require.ErrorIs(t, err, ErrGone)
}

// TestExitStatusFromOutside compares what a stranger is told, from the zombie
// and from the pidfd, with what the parent reads: every code, every signal.
func TestExitStatusFromOutside(t *testing.T) {
	ends := map[string]string{}
	for code := range 256 {
		ends[fmt.Sprintf("code %d", code)] = fmt.Sprintf("exit %d", code)
	}
	for sig := syscall.Signal(1); sig <= 64; sig++ {
		switch sig {
		case syscall.SIGCHLD, syscall.SIGCONT, syscall.SIGURG, syscall.SIGWINCH, // do nothing by default
			syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, // stop it
			32, 33: // kept by libc
			continue
		}
		ends[fmt.Sprintf("signal %d", sig)] = fmt.Sprintf("ulimit -c 0; kill -%d $$; exit 99", sig)
	}
	told := 0
	for name, command := range ends {
		c := exec.Command("/bin/sh", "-c", "read x; "+command)
		in, err := c.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		id, err := IdentityOf(c.Process.Pid)
		require.NoError(t, err)
		h, err := Open(id)
		require.NoError(t, err)
		require.False(t, h.Ended())
		in.Close()
		require.NoError(t, h.Wait())
		require.True(t, h.Ended())
		require.ErrorIs(t, h.Signal(0), nil, "a zombie still takes signals")
		before, ok := zombieStatus(id)
		require.True(t, ok)
		c.Wait()
		want := c.ProcessState.Sys().(syscall.WaitStatus)
		require.Equal(t, want, before, name)
		if after, ok := h.ExitStatus(); ok {
			told++
			require.Equal(t, want, after, name)
		}
		require.ErrorIs(t, h.Signal(0), ErrGone)
		e := ExitOf(want)
		require.Equal(t, e.Code == nil, e.Signal != nil, "code and signal are never both known")
		if want.Signaled() {
			require.Equal(t, fmt.Sprintf("signal %d", *e.Signal), name)
		} else {
			require.Equal(t, fmt.Sprintf("code %d", *e.Code), name)
		}
		require.NoError(t, h.Close())
	}
	if told == 0 {
		t.Log("NOT TESTED: this kernel's pidfd tells no exit status (Linux 6.15)")
	} else {
		require.Equal(t, len(ends), told)
	}
}

func TestHandleWaitEndsWithTheHandle(t *testing.T) {
	c := exec.Command("/bin/sleep", "1000")
	require.NoError(t, c.Start())
	defer c.Wait()
	defer c.Process.Kill()
	id, err := IdentityOf(c.Process.Pid)
	require.NoError(t, err)
	h, err := Open(id)
	require.NoError(t, err)
	done := make(chan error)
	go func() { done <- h.Wait() }()
	require.NoError(t, h.Close())
	require.Error(t, <-done)
	require.Error(t, h.Signal(0), "a closed handle must not signal")
}
