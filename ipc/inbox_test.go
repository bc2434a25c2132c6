package ipc_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

func home(t *testing.T) journal.Home {
	h, err := journal.OpenHome(filepath.Join(t.TempDir(), "home"))
	require.NoError(t, err)
	return h
}

func command(action string) journal.Command {
	id := journal.NewID(time.Now())
	return journal.Command{Version: 1, ID: id, RunID: id, Action: action, Actor: "user", CreatedAt: time.Now().UTC()}
}

// TestInbox follows a command from its asker to its end.
func TestInbox(t *testing.T) {
	h := home(t)
	ids, strange, err := ipc.Pending(h)
	require.NoError(t, err)
	require.Empty(t, ids)
	require.Empty(t, strange)

	a, b := command(journal.ActionStop), command(journal.ActionStop)
	require.NoError(t, ipc.Post(h, a, b))
	ids, strange, err = ipc.Pending(h)
	require.NoError(t, err)
	require.Empty(t, strange)
	want := []string{a.ID, b.ID}
	slices.Sort(want)
	require.Equal(t, want, ids)
	got, err := ipc.Take(h, a.ID)
	require.NoError(t, err)
	require.Equal(t, a, got)

	other := a
	other.Actor = "somebody else"
	require.NoError(t, ipc.Post(h, other), "the first one to use an id keeps it")
	got, err = ipc.Take(h, a.ID)
	require.NoError(t, err)
	require.Equal(t, a, got)

	_, err = ipc.Admission(h, a.ID)
	require.ErrorIs(t, err, journal.ErrMissing)
	require.NoError(t, ipc.Done(h, a.ID))
	require.NoError(t, ipc.Done(h, a.ID), "it may be told twice")
	_, err = ipc.Take(h, a.ID)
	require.ErrorIs(t, err, journal.ErrMissing)
}

func TestPostRunShowsTheLaunchFirst(t *testing.T) {
	h := home(t)
	var wg sync.WaitGroup
	for range 40 {
		c := command(journal.ActionRun)
		require.NoError(t, os.Mkdir(h.Run(c.ID), 0o700))
		wg.Go(func() {
			for {
				if _, err := ipc.Take(h, c.ID); err == nil {
					break
				}
			}
			var l journal.Launch
			if err := journal.Read(h.File(c.ID, journal.LaunchFile), &l); err != nil {
				t.Errorf("a run command without its launch: %v", err)
			}
		})
		p, err := ipc.PostRun(h, journal.Launch{Version: 1, ID: c.ID}, c)
		require.NoError(t, err)
		require.NoError(t, p.Sync())
		wg.Wait()
	}
	entries, err := os.ReadDir(h.Commands())
	require.NoError(t, err)
	require.Len(t, entries, 40)
}

// TestTheLaunchIsItsOwnRunCommand: whoever takes the command reads who asks for
// what, and the run's lock is there to be taken.
func TestTheLaunchIsItsOwnRunCommand(t *testing.T) {
	h := home(t)
	c := command(journal.ActionRun)
	asker := journal.Identity{BootID: "b", PID: 7, StartTicks: 9}
	require.NoError(t, os.Mkdir(h.Run(c.ID), 0o700))
	_, err := ipc.PostRun(h, journal.Launch{Version: 1, ID: c.ID, Owner: c.Actor, Asker: asker, CreatedAt: c.CreatedAt}, c)
	require.NoError(t, err)
	c.Asker = &asker
	got, err := ipc.Take(h, c.ID)
	require.NoError(t, err)
	require.Equal(t, c, got)
	launch, err := os.Stat(h.File(c.ID, journal.LaunchFile))
	require.NoError(t, err)
	for _, name := range []string{h.Command(c.ID), h.File(c.ID, journal.LockFile)} {
		other, err := os.Stat(name)
		require.NoError(t, err)
		require.True(t, os.SameFile(launch, other), name)
	}
}

// TestStrangeCommands: what cannot be a command is told from what is, kept,
// and in nobody's way.
func TestStrangeCommands(t *testing.T) {
	h := home(t)
	c := command(journal.ActionStop)
	require.NoError(t, ipc.Post(h, c))
	put := func(name, body string) {
		require.NoError(t, os.WriteFile(filepath.Join(h.Commands(), name), []byte(body), 0o600))
	}
	strangers := []string{"README", "x.json", c.ID, c.ID + ".json.bak", "01kjmdzm00vn4dmtdyqkwm3a7z.json", " \n.json"}
	for _, name := range strangers {
		put(name, "hello")
	}
	put(".tmp-"+c.ID+".json-1-1", "unpublished")
	require.NoError(t, os.Mkdir(filepath.Join(h.Commands(), "directory"), 0o700))
	strangers = append(strangers, "directory")

	ids, strange, err := ipc.Pending(h)
	require.NoError(t, err)
	require.Equal(t, []string{c.ID}, ids)
	require.ElementsMatch(t, strangers, strange)
	for _, name := range strange {
		require.NoError(t, ipc.SetAside(h, name))
		_, err := os.Lstat(filepath.Join(h.Damaged(), name))
		require.NoError(t, err)
		require.ErrorIs(t, ipc.SetAside(h, name), os.ErrNotExist)
	}
	_, strange, err = ipc.Pending(h)
	require.NoError(t, err)
	require.Empty(t, strange)
}

func TestTakeRefusesWhatCannotBeActedUpon(t *testing.T) {
	h := home(t)
	valid := journal.NewID(time.Now())
	for name, spoil := range map[string]func(c *journal.Command){
		"another id":           func(c *journal.Command) { c.ID = valid },
		"a run of another id":  func(c *journal.Command) { c.Action, c.RunID = journal.ActionRun, valid },
		"a run without an id":  func(c *journal.Command) { c.Action, c.RunID = journal.ActionRun, "" },
		"a run id with a path": func(c *journal.Command) { c.RunID = "../../etc" },
		"a newer version":      func(c *journal.Command) { c.Version = 99 },
	} {
		c := command(journal.ActionStop)
		path := h.Command(c.ID)
		id := c.ID
		spoil(&c)
		require.NoError(t, journal.WriteOnce(path, c))
		_, err := ipc.Take(h, id)
		require.True(t, journal.IsDamaged(err), "%s: %v", name, err)
	}
	id := journal.NewID(time.Now())
	require.NoError(t, os.WriteFile(h.Command(id), []byte("{"), 0o600))
	_, err := ipc.Take(h, id)
	require.True(t, journal.IsDamaged(err))
}
