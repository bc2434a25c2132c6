package launch

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestNoSuccessorIsSignalled lets the kernel give a dead process's pid to
// another one and tries every way to reach the dead.
func TestNoSuccessorIsSignalled(t *testing.T) {
	first := exec.Command("/bin/sleep", "1000")
	require.NoError(t, first.Start())
	id, err := IdentityOf(first.Process.Pid)
	require.NoError(t, err)
	h, err := Open(id)
	require.NoError(t, err)
	defer h.Close()
	listed, err := readStat(id.PID)
	require.NoError(t, err)
	require.NoError(t, first.Process.Kill())
	first.Wait()

	second := successor(t, id)
	defer func() {
		require.NoError(t, second.Process.Kill())
		second.Wait()
	}()
	other, err := IdentityOf(id.PID)
	require.NoError(t, err)
	require.NotEqual(t, id, other)

	require.ErrorIs(t, h.Signal(unix.SIGKILL), ErrGone)
	require.True(t, h.Ended())
	require.ErrorIs(t, listed.signal(unix.SIGKILL), ErrGone)
	require.ErrorIs(t, Signal(id, unix.SIGKILL), ErrGone)
	_, err = Open(id)
	require.ErrorIs(t, err, ErrGone)
	alive, err := Alive(id)
	require.NoError(t, err)
	require.False(t, alive)
	_, ok := zombieStatus(id)
	require.False(t, ok)
	require.Empty(t, Members("x", &journal.Process{PID: id.PID, Identity: id, Shim: journal.Shim{PID: id.PID, Identity: id}}))

	alive, err = Alive(other)
	require.NoError(t, err)
	require.True(t, alive, "the successor was hit")
}

// successor starts a process that gets the pid of id.
func successor(t *testing.T, id journal.Identity) *exec.Cmd {
	t.Helper()
	const lastPID = "/proc/sys/kernel/ns_last_pid"
	for range 2000 {
		// Others start processes as well: until one of ours gets it.
		if err := os.WriteFile(lastPID, []byte(strconv.Itoa(id.PID-1)), 0); err != nil {
			t.Skipf("NOT TESTED: pid reuse cannot be forced here: %v", err)
		}
		c := exec.Command("/bin/sleep", "1000")
		require.NoError(t, c.Start())
		st, err := readStat(c.Process.Pid)
		require.NoError(t, err)
		// In the same tick of the clock the kernel itself could not tell the two
		// apart; it takes 32768 forks in 10 ms to get there without our help.
		if st.pid == id.PID && st.start != id.StartTicks {
			return c
		}
		require.NoError(t, c.Process.Kill())
		c.Wait()
	}
	t.Skip("NOT TESTED: the pid was never given again")
	return nil
}
