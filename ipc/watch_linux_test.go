package ipc_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/stretchr/testify/require"
)

// TestWatchSaysThatEventsWereLost lets the kernel's queue overflow while
// nobody reads it.
func TestWatchSaysThatEventsWereLost(t *testing.T) {
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	require.NoError(t, err)
	n, err := strconv.Atoi(strings.TrimSpace(string(limit)))
	require.NoError(t, err)
	if n > 200_000 {
		t.Skipf("NOT TESTED: a queue of %d events takes too long to fill", n)
	}
	dir := t.TempDir()
	w, err := ipc.NewWatch(dir)
	require.NoError(t, err)
	defer w.Close()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	require.NoError(t, os.WriteFile(a, nil, 0o600))
	// Two events a rename, of different kinds, so that none is merged away.
	for range n/2 + 2000 {
		require.NoError(t, os.Rename(a, b))
		a, b = b, a
	}
	ctx := patience(t)
	for lost := false; !lost; {
		select {
		case <-w.Events:
		case <-w.Lost:
			lost = true
		case <-ctx.Done():
			t.Fatal("the loss was never told")
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "after"), nil, 0o600))
	require.NoError(t, w.Wait(ctx), "the watch is over")
}

// TestNoNameIsLostInAFlood makes more files than are read ahead.
func TestNoNameIsLostInAFlood(t *testing.T) {
	dir := t.TempDir()
	w, err := ipc.NewWatch(dir)
	require.NoError(t, err)
	defer w.Close()
	const n = 500
	for i := range n {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%03d", i)), nil, 0o600))
	}
	seen := map[string]bool{}
	for ctx := patience(t); len(seen) < n; {
		select {
		case e := <-w.Events:
			for _, name := range w.Names(e) {
				seen[name] = true
			}
		case <-ctx.Done():
			t.Fatalf("%d of %d names were told", len(seen), n)
		}
	}
}

func TestWatchOfMoreAndFewerDirectories(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	w, err := ipc.NewWatch(one)
	require.NoError(t, err)
	defer w.Close()
	require.Empty(t, w.Note)
	require.NoError(t, w.Add(two))
	require.NoError(t, os.WriteFile(filepath.Join(two, "x"), nil, 0o600))
	require.NoError(t, w.Wait(patience(t)))
	w.Drop(two)
	w.Drop("/nonexistent")
	// An event that was on its way may still come; afterwards it is silent.
	silent := func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		return w.Wait(ctx) != nil
	}
	for !silent() {
	}
	require.NoError(t, os.WriteFile(filepath.Join(two, "y"), nil, 0o600))
	require.True(t, silent())
	require.NoError(t, os.WriteFile(filepath.Join(one, "z"), nil, 0o600))
	require.NoError(t, w.Wait(patience(t)))
}

// rolePoll makes the test binary a process without inotify instances.
const rolePoll = "IPC_TEST_POLL"

func pollMain() int {
	// A user namespace has a limit of its own: nobody else on this machine is
	// kept from watching meanwhile.
	if err := os.WriteFile("/proc/sys/user/max_inotify_instances", []byte("0"), 0); err != nil {
		fmt.Println("skip", err)
		return 0
	}
	dir := os.Getenv(rolePoll)
	w, err := ipc.NewWatch(dir)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(w.Note)
	w.Close()
	if w.Add("/nonexistent") != nil {
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	asked := 0
	err = ipc.AwaitChange(ctx, func() (bool, error) {
		if asked++; asked == 3 {
			if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
				return false, err
			}
		}
		return asked == 5, nil
	}, dir)
	fmt.Println(err)
	return 0
}

// TestPollingWhereTheKernelCannotTell uses up the inotify instances.
func TestPollingWhereTheKernelCannotTell(t *testing.T) {
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), rolePoll+"="+t.TempDir())
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	out, err := c.Output()
	if err != nil && len(out) == 0 {
		t.Skipf("NOT TESTED: no user namespace can be had to use up the inotify instances in: %v", err)
	}
	require.NoError(t, err, "%s", out)
	if strings.HasPrefix(string(out), "skip") {
		t.Skipf("NOT TESTED: %s", out)
	}
	note, end, _ := strings.Cut(string(out), "\n")
	require.Contains(t, note, "polling: ")
	require.Contains(t, note, syscall.EMFILE.Error())
	require.Equal(t, "<nil>\n", end)
}
