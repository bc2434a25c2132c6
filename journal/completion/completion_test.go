package completion_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/journal/completion"
	"github.com/stretchr/testify/require"
)

const owner = "a/session"

func home(t *testing.T) journal.Home {
	h, err := journal.OpenHome(filepath.Join(t.TempDir(), "home"))
	require.NoError(t, err)
	return h
}

func launched(t *testing.T, h journal.Home, l journal.Launch) string {
	l.Version, l.ID = journal.Version, journal.NewID(time.Now())
	if l.Owner == "" {
		l.Owner = owner
	}
	require.NoError(t, os.Mkdir(h.Run(l.ID), 0o700))
	require.NoError(t, journal.WriteOnce(h.File(l.ID, journal.LaunchFile), l))
	return l.ID
}

func ended(t *testing.T, h journal.Home, id string) {
	require.NoError(t, journal.WriteResult(h, &journal.Result{Version: journal.Version, ID: id, Owner: owner, Status: journal.StatusCompleted, EndedAt: time.Now()}))
}

func acknowledge(t *testing.T, h journal.Home, ids ...string) {
	var all []journal.Acknowledged
	for _, id := range ids {
		all = append(all, journal.Acknowledged{Version: journal.Version, ID: id, Owner: owner, At: time.Now()})
	}
	done, err := completion.Acknowledge(h, all)
	require.NoError(t, err)
	require.Equal(t, ids, done)
}

func marked(t *testing.T, h journal.Home) []string {
	ids, err := completion.Marked(h, owner, nil)
	require.NoError(t, err)
	return ids
}

func names(t *testing.T, h journal.Home) (names []string) {
	entries, err := os.ReadDir(h.Outstanding(owner))
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestLife follows one completion from the launch to its acknowledgement.
func TestLife(t *testing.T) {
	h := home(t)
	require.Empty(t, marked(t, h))
	id := launched(t, h, journal.Launch{})
	require.NoError(t, completion.Expect(h, owner, id))
	require.NoError(t, completion.Expect(h, owner, id), "by the next supervisor")
	require.Equal(t, []string{id}, names(t, h))
	ended(t, h, id)
	require.Equal(t, []string{id}, marked(t, h), "the supervisor was killed here")
	require.NoError(t, completion.Deliver(h, owner, id))
	require.NoError(t, completion.Deliver(h, owner, id))
	require.Equal(t, []string{id + ".over"}, names(t, h))
	require.Equal(t, []string{id}, marked(t, h))
	acknowledge(t, h, id)
	acknowledge(t, h, id)
	require.Empty(t, names(t, h))
	require.NoError(t, completion.Deliver(h, owner, id), "a supervisor that comes late")
	require.Empty(t, marked(t, h))
}

// TestMarkOfTheAcknowledged: killed between the record and the mark, whoever
// lists next clears it away.
func TestMarkOfTheAcknowledged(t *testing.T) {
	h := home(t)
	id := launched(t, h, journal.Launch{})
	ended(t, h, id)
	acknowledge(t, h, id)
	require.NoError(t, completion.Expect(h, owner, id))
	require.Empty(t, marked(t, h))
	require.Empty(t, names(t, h))
}

func TestMarkOfTheRemoved(t *testing.T) {
	h := home(t)
	id := launched(t, h, journal.Launch{})
	require.NoError(t, completion.Expect(h, owner, id))
	require.NoError(t, os.RemoveAll(h.Run(id)))
	require.Empty(t, marked(t, h))
	require.Empty(t, names(t, h))
	require.NoError(t, completion.Deliver(h, owner, id))
	require.Empty(t, names(t, h), "what is gone gets no mark")
}

// TestBothMarks: a mark made twice is one completion and goes as one.
func TestBothMarks(t *testing.T) {
	h := home(t)
	id := launched(t, h, journal.Launch{})
	ended(t, h, id)
	require.NoError(t, completion.Deliver(h, owner, id))
	require.NoError(t, completion.Expect(h, owner, id))
	require.Len(t, names(t, h), 2)
	require.Equal(t, []string{id}, marked(t, h))
	acknowledge(t, h, id)
	require.Empty(t, names(t, h))
}

// TestRunWithoutLaunch: its launch record cannot be linked.
func TestRunWithoutLaunch(t *testing.T) {
	h := home(t)
	id := journal.NewID(time.Now())
	require.NoError(t, os.Mkdir(h.Run(id), 0o700))
	require.NoError(t, completion.Expect(h, owner, id))
	require.Equal(t, []string{id}, marked(t, h))
}

// TestComplete takes all marks away, as a power cut may.
func TestComplete(t *testing.T) {
	h := home(t)
	waiting, live, known := launched(t, h, journal.Launch{}), launched(t, h, journal.Launch{}), launched(t, h, journal.Launch{})
	part, other := launched(t, h, journal.Launch{PartOf: waiting}), launched(t, h, journal.Launch{Owner: "b"})
	for _, id := range []string{waiting, known, part, other} {
		ended(t, h, id)
	}
	acknowledge(t, h, known)
	scans := 0
	each := func(f func(string) error) error {
		scans++
		for _, id := range []string{waiting, live, known, part, other} {
			if err := f(id); err != nil {
				return err
			}
		}
		return nil
	}
	complete := func(boot string) { require.NoError(t, completion.Complete(h, owner, boot, each)) }
	complete("boot 1")
	require.Equal(t, []string{waiting}, marked(t, h))
	complete("boot 1")
	complete("boot 1")
	require.LessOrEqual(t, scans, 2)
	require.NoError(t, os.RemoveAll(h.Outstanding(owner)))
	complete("boot 2")
	require.Equal(t, []string{waiting}, marked(t, h))
	before := scans
	complete("boot 2")
	require.Equal(t, before, scans)

	wrong := errors.New("cannot be read")
	require.ErrorIs(t, completion.Complete(h, owner, "boot 3", func(func(string) error) error { return wrong }), wrong)
	complete("boot 3")
	require.Equal(t, before+1, scans, "a look that failed is taken again")
}

// TestNoRoomForTheMark: what could not be marked is found by the next reader.
func TestNoRoomForTheMark(t *testing.T) {
	h := home(t)
	first, second := launched(t, h, journal.Launch{}), launched(t, h, journal.Launch{})
	require.NoError(t, completion.Expect(h, owner, first))
	each := func(f func(string) error) error { return errors.Join(f(first), f(second)) }
	require.NoError(t, completion.Complete(h, owner, "boot", each))
	require.NoError(t, os.RemoveAll(h.Outstanding(owner)))
	require.NoError(t, os.WriteFile(h.Outstanding(owner), nil, 0o600)) // in the way of the directory
	require.Error(t, completion.Expect(h, owner, second))
	ended(t, h, second)
	require.Error(t, completion.Deliver(h, owner, second))
	require.NoError(t, os.Remove(h.Outstanding(owner)))
	require.NoError(t, completion.Complete(h, owner, "boot", each))
	require.Equal(t, []string{second}, marked(t, h))
}
