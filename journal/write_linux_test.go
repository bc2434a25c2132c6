package journal_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestBatchStagesElsewhere(t *testing.T) {
	watched, stage := t.TempDir(), t.TempDir()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	require.NoError(t, err)
	defer unix.Close(fd)
	_, err = unix.InotifyAddWatch(fd, watched, unix.IN_CREATE|unix.IN_MODIFY|unix.IN_MOVED_TO|unix.IN_DELETE)
	require.NoError(t, err)
	b := journal.Batch{StageIn: stage}
	require.NoError(t, b.Add(filepath.Join(watched, "a.json"), stopRecord(1)))
	require.NoError(t, b.Add(filepath.Join(watched, "b.json"), stopRecord(1)))
	require.NoError(t, b.Commit())
	buf := make([]byte, 4096)
	n, err := unix.Read(fd, buf)
	require.NoError(t, err)
	require.NotContains(t, string(buf[:n]), ".tmp", "who watches was woken by something unpublished")
	require.Equal(t, 2, bytes.Count(buf[:n], []byte(".json")))
	require.Empty(t, names(t, stage))

	lost := journal.Batch{StageIn: filepath.Join(stage, "gone")}
	require.NoError(t, lost.Add(filepath.Join(watched, "c.json"), stopRecord(1)))
	require.Error(t, lost.Commit())
	require.Equal(t, []string{"a.json", "b.json"}, names(t, watched))
}

// TestFullDisk writes onto a small file system until nothing fits: a record is
// whole or absent, and what is replaced keeps its old form.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: a full disk needs root to mount a small tmpfs")
	}
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=64k,nr_inodes=200"); err != nil {
		t.Skipf("NOT TESTED: a full disk needs a small tmpfs: %v", err)
	}
	defer func() { require.NoError(t, unix.Unmount(dir, 0)) }()
	state := filepath.Join(dir, "state.json")
	require.NoError(t, journal.Replace(state, stopRecord(1)))

	big := journal.Stop{Version: 1, Cause: strings.Repeat("x", 5000)}
	var err error
	written := 0
	for ; err == nil; written++ {
		require.Less(t, written, 100)
		err = journal.WriteOnce(filepath.Join(dir, fmt.Sprintf("%d.json", written)), big)
	}
	require.ErrorIs(t, err, unix.ENOSPC)
	require.ErrorContains(t, journal.Replace(state, big), unix.ENOSPC.Error()) // natefinch/atomic keeps the text only
	require.EqualValues(t, 1, readStop(t, state).GraceMS)
	for _, n := range names(t, dir) {
		var s journal.Stop
		require.NoError(t, journal.Read(filepath.Join(dir, n), &s), "%s is neither whole nor absent", n)
	}
	require.Len(t, names(t, dir), written) // the last one failed; state.json takes its place in the count
}
