package cli

import (
	"errors"
	"slices"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// Query says which runs a listing holds.
type Query struct {
	Owner  string // "": every owner's
	Status string // "": any
	Limit  int
	Cursor string // only runs older than the one with this id
}

// Statuses are those a run can be listed by.
var Statuses = []string{string(journal.PhaseQueued), string(journal.PhaseStarting), string(journal.PhaseRunning), string(journal.PhaseStopping),
	journal.StatusCompleted, journal.StatusFailed, journal.StatusStopped}

// List returns the runs that q asks for, newest first, and the cursor of the
// next page or "". It reads the records of those it returns and, by status,
// of those whose status the index does not know yet.
func List(h journal.Home, q Query) (views []View, next string, err error) {
	boot, err := launch.BootID()
	if err != nil {
		return nil, "", err
	}
	x, err := journal.OpenIndex(h, boot)
	if err != nil {
		return nil, "", err
	}
	defer x.Close()
	l := lister{home: h, index: x, Query: q}
	for e := range x.Newest() {
		v, ok, err := l.look(e)
		if err != nil {
			return nil, "", err
		}
		if !ok {
			continue
		}
		if len(views) == q.Limit {
			next = views[q.Limit-1].ID
			break
		}
		views = append(views, v)
	}
	x.Store()
	return views, next, nil
}

type lister struct {
	Query
	home  journal.Home
	index *journal.Index
	open  map[string]bool // runs with an open intent: none other can be live
}

// look returns the view of a run if it is wanted.
func (l *lister) look(e journal.Entry) (View, bool, error) {
	if l.Cursor != "" && e.ID >= l.Cursor || l.Status != "" && e.Status != "" && e.Status != l.Status {
		return View{}, false, nil
	}
	if e = l.index.Complete(e); l.Owner != "" && e.Owner != "" && e.Owner != l.Owner {
		return View{}, false, nil
	}
	if unwanted, err := l.otherwise(e); unwanted || err != nil {
		return View{}, false, err
	}
	v, err := Brief(l.home, e.ID)
	var fail *Error
	switch {
	case errors.As(err, &fail) && fail.Code == NotFound:
		return v, false, nil // removed meanwhile, or nothing was ever written down
	case err != nil:
		v = unreadable(e, err)
	case v.Result != nil && e.Status != v.Result.Status:
		e.Status = v.Result.Status
		l.index.Learn(e)
	}
	// Whose a run is that cannot say so nobody knows: everybody is shown it.
	mine := l.Owner == "" || v.Owner == "" || v.Owner == l.Owner
	return v, mine && (l.Status == "" || v.Status == l.Status), nil
}

// otherwise finds out cheaply that a run of unknown status has not the one
// that is asked for: its result alone is read, once for ever.
func (l *lister) otherwise(e journal.Entry) (bool, error) {
	if l.Status == "" || e.Status != "" {
		return false, nil
	}
	if l.open == nil {
		ids, _, err := ipc.Pending(l.home)
		if err != nil {
			return false, err
		}
		l.open = set(ids)
	}
	var result journal.Result
	if l.open[e.ID] || journal.Read(l.home.File(e.ID, journal.ResultFile), &result) != nil {
		return false, nil
	}
	e.Status = result.Status
	l.index.Learn(e)
	return result.Status != l.Status, nil
}

// unreadable is what can be said of a run whose directory cannot be read.
func unreadable(e journal.Entry, err error) View {
	v := View{Version: ViewVersion, ID: e.ID, Name: e.Name, Owner: e.Owner, Phase: journal.PhaseTerminal, Status: "unknown",
		Tree: Tree{State: journal.TreeUnproven, Members: []launch.Member{}}, Damaged: []journal.Damage{{File: ".", Error: err.Error()}}}
	if t, err := journal.IDTime(e.ID); err == nil {
		v.CreatedAt = &t
	}
	return v
}

// CheckStatus refuses what no run can have.
func CheckStatus(s string) error {
	if slices.Contains(Statuses, s) {
		return nil
	}
	return Fail(Usage, "--status %q is none; %s are", s, joinWords(Statuses))
}

// EachOwned calls f with every run that may be owner's, newest first; owner
// "" means every run.
func EachOwned(h journal.Home, owner string, f func(id string) error) error {
	boot, err := launch.BootID()
	if err != nil {
		return err
	}
	x, err := journal.OpenIndex(h, boot)
	if err != nil {
		return err
	}
	defer x.Close()
	for e := range x.Newest() {
		if e = x.Complete(e); owner == "" || e.Owner == "" || e.Owner == owner {
			if err := f(e.ID); err != nil {
				return err
			}
		}
	}
	x.Store()
	return nil
}
