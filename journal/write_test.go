package journal_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

const racedRecords = 20

func stopRecord(n int64) journal.Stop { return journal.Stop{Version: 1, GraceMS: n} }

func readStop(t *testing.T, path string) journal.Stop {
	t.Helper()
	var s journal.Stop
	require.NoError(t, journal.Read(path, &s))
	return s
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWriteOnceHasOneWinnerAmongGoroutines(t *testing.T) {
	dir := t.TempDir()
	for i := range racedRecords {
		path := filepath.Join(dir, fmt.Sprintf("r%d.json", i))
		var winner atomic.Int64
		var wins atomic.Int32
		var wg sync.WaitGroup
		start := make(chan struct{})
		for n := range int64(8) {
			wg.Go(func() {
				<-start
				switch err := journal.WriteOnce(path, stopRecord(n+1)); {
				case err == nil:
					wins.Add(1)
					winner.Store(n + 1)
				case !errors.Is(err, journal.ErrExists):
					t.Error(err)
				}
			})
		}
		close(start)
		wg.Wait()
		require.EqualValues(t, 1, wins.Load())
		require.Equal(t, winner.Load(), readStop(t, path).GraceMS, "the record is not the winner's")
	}
	require.Len(t, names(t, dir), racedRecords, "losers left something behind")
}

func TestWriteOnceHasOneWinnerAmongProcesses(t *testing.T) {
	dir := t.TempDir()
	type racer struct {
		cmd *exec.Cmd
		out *bufio.Scanner
		go_ func() error
	}
	var racers []racer
	for range 6 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), roleRacer+"="+dir)
		c.Stderr = os.Stderr
		in, err := c.StdinPipe()
		require.NoError(t, err)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		s := bufio.NewScanner(out)
		require.True(t, s.Scan())
		racers = append(racers, racer{c, s, in.Close})
	}
	for _, r := range racers {
		require.NoError(t, r.go_())
	}
	won := map[int]int{}
	for _, r := range racers {
		for r.out.Scan() {
			i, err := strconv.Atoi(r.out.Text())
			require.NoError(t, err)
			require.NotContains(t, won, i, "two winners")
			won[i] = r.cmd.Process.Pid
		}
		require.NoError(t, r.cmd.Wait())
	}
	require.Len(t, won, racedRecords)
	for i, pid := range won {
		require.EqualValues(t, pid, readStop(t, filepath.Join(dir, fmt.Sprintf("r%d.json", i))).GraceMS)
	}
}

// TestBatchIsPublishedInOrder looks on while batches are published: a later
// record must never be seen without the earlier ones.
func TestBatchIsPublishedInOrder(t *testing.T) {
	dir := t.TempDir()
	const rounds, items = 30, 4
	path := func(round, i int) string { return filepath.Join(dir, fmt.Sprintf("%d-%d.json", round, i)) }
	var current, seen atomic.Int32
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			round := int(current.Load())
			for i := items - 1; i > 0; i-- {
				if _, err := os.Lstat(path(round, i)); err == nil {
					_, err := os.Lstat(path(round, i-1))
					if err != nil {
						t.Errorf("record %d was seen before record %d", i, i-1)
					}
					seen.Add(1)
				}
			}
		}
	})
	for round := range rounds {
		current.Store(int32(round))
		var b journal.Batch
		for i := range items {
			require.NoError(t, b.Add(path(round, i), stopRecord(1)))
		}
		require.NoError(t, b.Commit())
	}
	close(done)
	wg.Wait()
	require.Positive(t, seen.Load())
}

func TestBatchGoesOnPastALostRecord(t *testing.T) {
	dir := t.TempDir()
	a, b, c := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json"), filepath.Join(dir, "c.json")
	require.NoError(t, journal.WriteOnce(b, stopRecord(1)))
	var batch journal.Batch
	for _, p := range []string{a, b, c} {
		require.NoError(t, batch.Add(p, stopRecord(2)))
	}
	require.NoError(t, batch.Commit())
	require.False(t, batch.Lost(a))
	require.True(t, batch.Lost(b))
	require.False(t, batch.Lost(c))
	require.EqualValues(t, 1, readStop(t, b).GraceMS)
	require.EqualValues(t, 2, readStop(t, c).GraceMS)
	require.Equal(t, []string{"a.json", "b.json", "c.json"}, names(t, dir))
}

// TestBatchFailsAsAWhole: where one body cannot be staged nothing is seen.
func TestBatchFailsAsAWhole(t *testing.T) {
	dir := t.TempDir()
	var b journal.Batch
	require.NoError(t, b.Add(filepath.Join(dir, "a.json"), stopRecord(1)))
	require.NoError(t, b.Add(filepath.Join(dir, "gone", "b.json"), stopRecord(1)))
	require.ErrorIs(t, b.Commit(), fs.ErrNotExist)
	require.Empty(t, names(t, dir))
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "supervisor.json")
	for n := range int64(3) {
		require.NoError(t, journal.Replace(path, stopRecord(n)))
		require.Equal(t, n, readStop(t, path).GraceMS)
	}
	require.Equal(t, []string{"supervisor.json"}, names(t, dir))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
}

// TestCrashLeftovers: what a writer that was killed left is seen by no
// listing, and swept when it is old.
func TestCrashLeftovers(t *testing.T) {
	h, err := journal.OpenHome(filepath.Join(t.TempDir(), "home"))
	require.NoError(t, err)
	id := journal.NewID(time.Now())
	now := time.Now()
	left := []string{".tmp-" + id + ".json-77-1", ".tmp-launch.json-1-zz", id + ".json123456789", "supervisor.json42"}
	kept := []string{id + ".json", "supervisor.json", "note1", ".hidden"}
	for _, name := range append(append([]string{}, left...), kept...) {
		for _, dir := range []string{h.Dir, h.Commands()} {
			path := filepath.Join(dir, name)
			require.NoError(t, os.WriteFile(path, nil, 0o600))
			require.NoError(t, os.Chtimes(path, now, now.Add(-2*time.Minute)))
		}
	}
	young := filepath.Join(h.Dir, ".tmp-young.json-1-1")
	require.NoError(t, os.WriteFile(young, nil, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(h.Runs(), ".tmp-x"), 0o700))
	ids, err := journal.RunIDs(h)
	require.NoError(t, err)
	require.Empty(t, ids)

	journal.SweepTemporaries(h.Dir, time.Minute, now)
	journal.SweepTemporaries(h.Commands(), time.Minute, now)
	require.FileExists(t, young)
	require.ElementsMatch(t, kept, names(t, h.Commands()))
	for _, name := range left {
		require.NoFileExists(t, filepath.Join(h.Dir, name))
	}
}

// TestAlsoIsAnotherNameOfTheSameFile: what has the name already keeps it, and a
// record that lost gets no further name either.
func TestAlsoIsAnotherNameOfTheSameFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("taken"), []byte("somebody's"), 0o600))
	write := func(n int64, also ...string) (b journal.Batch) {
		require.NoError(t, b.Add(at("record.json"), stopRecord(n)))
		for _, name := range also {
			b.Also(at(name))
		}
		require.NoError(t, b.Commit())
		return b
	}
	won := write(1, "taken", "second")
	require.False(t, won.Lost(at("record.json")))
	first, err := os.Stat(at("record.json"))
	require.NoError(t, err)
	second, err := os.Stat(at("second"))
	require.NoError(t, err)
	require.True(t, os.SameFile(first, second))
	taken, err := os.ReadFile(at("taken"))
	require.NoError(t, err)
	require.Equal(t, "somebody's", string(taken))
	lost := write(2, "third")
	require.True(t, lost.Lost(at("record.json")))
	require.ElementsMatch(t, []string{"record.json", "second", "taken"}, names(t, dir))
}
