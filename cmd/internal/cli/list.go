package cli

import (
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// Query says which runs a listing holds.
type Query struct {
	Owner  string // "": every owner's
	Status string // "": any
	Parts  bool   // those that check or mend another, too
	Limit  int
	Cursor string // only runs older than the one with this id
}

// Statuses are those a run can be listed by.
func Statuses() []string {
	return []string{string(journal.PhaseQueued), string(journal.PhaseStarting), string(journal.PhaseRunning), journal.StatusVerifying,
		string(journal.PhaseStopping), journal.StatusCompleted, journal.StatusFailed, journal.StatusStopped}
}

// CheckStatus refuses what no run can have.
func CheckStatus(s string) error {
	if slices.Contains(Statuses(), s) {
		return nil
	}
	return Fail(Usage, "--status %q is none; %s are", s, joinWords(Statuses()))
}

// List returns the ids of the runs that q asks for, newest first, and the
// cursor of the next page or "". It reads records only where the index cannot
// tell: of runs that are not over, or were not looked at before.
func List(h journal.Home, q Query) (ids []string, next string, err error) {
	x, err := openIndex(h)
	if err != nil {
		return nil, "", err
	}
	defer x.Close()
	l := lister{Query: q, home: h, index: x}
	for e := range x.Newest() {
		ok, err := l.wants(e)
		if err != nil {
			return nil, "", err
		}
		if ok && len(ids) == q.Limit {
			next = ids[q.Limit-1]
			break
		}
		if ok {
			ids = append(ids, e.ID)
		}
	}
	x.Store()
	return ids, next, nil
}

func openIndex(h journal.Home) (*journal.Index, error) {
	boot, err := launch.BootID()
	if err != nil {
		return nil, err
	}
	return journal.OpenIndex(h, boot)
}

type lister struct {
	Query
	home  journal.Home
	index *journal.Index
	open  map[string]bool // runs with an open intent: none other can be live
}

func (l *lister) wants(e journal.Entry) (bool, error) {
	if l.Cursor != "" && e.ID >= l.Cursor || l.Status != "" && e.Status != "" && e.Status != l.Status {
		return false, nil
	}
	if e = l.index.Complete(e); e.Owner == "" {
		return l.wantsNobodys(e)
	}
	if l.Owner != "" && e.Owner != l.Owner || e.Part && !l.Parts {
		return false, nil
	}
	if l.Status == "" || e.Status != "" {
		return true, nil
	}
	return l.wantsByStatus(e)
}

// wantsByStatus looks at a run whose status the index does not know. Of one
// that is over the result alone is read, once for ever.
func (l *lister) wantsByStatus(e journal.Entry) (bool, error) {
	if l.open == nil {
		ids, _, err := ipc.Pending(l.home)
		if err != nil {
			return false, err
		}
		l.open = set(ids)
	}
	var result journal.Result
	if !l.open[e.ID] && journal.Read(l.home.File(e.ID, journal.ResultFile), &result) == nil {
		e.Status = result.Status
		l.index.Learn(e)
		return e.Status == l.Status, nil
	}
	v, err := Brief(l.home, e.ID)
	return err == nil && v.Status == l.Status, unlessGone(err)
}

// wantsNobodys decides on a run whose launch record does not say whose it is:
// everybody is shown it, unless nothing was ever written down of it.
func (l *lister) wantsNobodys(e journal.Entry) (bool, error) {
	v, err := Brief(l.home, e.ID)
	var damage *journal.DamagedError
	if errors.As(err, &damage) {
		return l.Status == "", nil
	}
	mine := l.Owner == "" || v.Owner == "" || v.Owner == l.Owner
	return err == nil && mine && (l.Status == "" || v.Status == l.Status), unlessGone(err)
}

// unlessGone passes over runs that were removed while we looked.
func unlessGone(err error) error {
	if isGone(err) {
		return nil
	}
	return err
}

func isGone(err error) bool {
	var fail *Error
	return errors.As(err, &fail) && fail.Code == NotFound
}

// Views loads the runs of a listing, some at the same time. One that cannot be
// read is shown as damaged; one that was removed meanwhile is not shown.
func Views(h journal.Home, ids []string) ([]View, error) {
	views, errs := make([]View, len(ids)), make([]error, len(ids))
	var wg sync.WaitGroup
	loaders := min(runtime.GOMAXPROCS(0), len(ids))
	for first := range loaders {
		wg.Go(func() {
			for i := first; i < len(ids); i += loaders {
				views[i], errs[i] = readView(h, ids[i])
			}
		})
	}
	wg.Wait()
	there := views[:0]
	for i, v := range views {
		if isGone(errs[i]) {
			continue
		}
		if errs[i] != nil {
			return nil, errs[i]
		}
		there = append(there, v)
	}
	return there, nil
}

func readView(h journal.Home, id string) (View, error) {
	v, err := Brief(h, id)
	var damage *journal.DamagedError
	if errors.As(err, &damage) {
		return unreadable(id, damage), nil
	}
	return v, err
}

// unreadable is what can be said of a run whose directory is none.
func unreadable(id string, damage *journal.DamagedError) View {
	v := View{Version: ViewVersion, ID: id, Phase: journal.PhaseTerminal, Status: journal.StatusFailed, Cause: journal.CauseLost,
		Tree: Tree{State: journal.TreeUnproven, Members: []launch.Member{}}, Damaged: []journal.Damage{{File: ".", Error: damage.Error()}}}
	if t, err := journal.IDTime(id); err == nil {
		v.CreatedAt = &t
	}
	return v
}

// EachOwned calls f with every run that may be owner's, newest first; owner
// "" means every run.
func EachOwned(h journal.Home, owner string, f func(id string) error) error {
	x, err := openIndex(h)
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
