package main

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/journal/lifecycle"
)

// lives tells the lifecycle events of some runs, each once.
type lives struct {
	home     journal.Home
	owner    string           // only runs of this owner, unless they were named; "": of all
	live     map[string]*life // runs of which more may come
	known    map[string]bool  // runs that are told, were told, or are not to be told
	settings int64            // how far the home's own events were told
	print    func(lifecycle.Event) error
}

// life is how far one run was told.
type life struct {
	told int
	plan string // the plan it is a task of
}

func newLives(h journal.Home, owner string, print func(lifecycle.Event) error) *lives {
	return &lives{home: h, owner: owner, live: map[string]*life{}, known: map[string]bool{}, print: print}
}

// begin tells what there is of the named runs, or of all of the owner.
func (l *lives) begin(ids []string) error {
	var fresh []lifecycle.Event
	if len(ids) > 0 {
		l.owner = ""
	} else {
		var err error
		if ids, err = l.all(); err != nil {
			return err
		}
		if fresh, err = l.changes(); err != nil {
			return err
		}
	}
	for _, id := range ids {
		l.add(id)
		news, err := l.news(id)
		if err != nil {
			return err
		}
		fresh = append(fresh, inOrder(news)...)
	}
	slices.SortStableFunc(fresh, func(a, b lifecycle.Event) int {
		if n := a.At.Compare(b.At); n != 0 {
			return n
		}
		return strings.Compare(a.RunID, b.RunID)
	})
	return l.tell(fresh)
}

// all lists the runs that may be the owner's and takes note of the others.
func (l *lives) all() (ids []string, err error) {
	every, err := journal.RunIDs(l.home)
	if err != nil {
		return nil, err
	}
	err = cli.EachOwned(l.home, l.owner, func(id string) error {
		ids = append(ids, id)
		return nil
	})
	for _, id := range every {
		l.known[id] = true
	}
	for _, id := range ids {
		delete(l.known, id)
	}
	return ids, err
}

// inOrder lets no event be older than the one before it: a clock may have been
// set meanwhile, and what is sorted must stay in the run's own order.
func inOrder(events []lifecycle.Event) []lifecycle.Event {
	var last time.Time
	for i := range events {
		if events[i].At.Before(last) {
			events[i].At = last
		}
		last = events[i].At
	}
	return events
}

// add takes a run in, once.
func (l *lives) add(id string) bool {
	if l.known[id] {
		return false
	}
	l.known[id], l.live[id] = true, &life{}
	return true
}

// news returns what was not told of a run yet, and forgets a run of which no
// more can come.
func (l *lives) news(id string) ([]lifecycle.Event, error) {
	state := l.live[id]
	if state == nil {
		return nil, nil
	}
	events, err := cli.Life(l.home, id)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	if state.plan = events[0].PlanID; l.owner != "" && events[0].Owner != l.owner {
		delete(l.live, id)
		return nil, nil
	}
	from := min(state.told, len(events))
	if events[len(events)-1].Terminal() {
		delete(l.live, id)
		from = min(from, len(events)-1) // the end is told, whatever was taken for known before
	}
	state.told = len(events)
	return events[from:], nil
}

// changes returns what the home itself has to tell since it was asked last.
func (l *lives) changes() ([]lifecycle.Event, error) {
	all, next, err := journal.ReadEvents(l.home.Events(), l.settings)
	l.settings = next
	var fresh []lifecycle.Event
	for _, e := range all {
		if s, ok := lifecycle.OfSettings(e); ok && (l.owner == "" || l.owner == s.Owner) {
			fresh = append(fresh, s)
		}
	}
	return fresh, err
}

func (l *lives) tell(events []lifecycle.Event) error {
	for _, e := range events {
		if err := l.print(e); err != nil {
			return err
		}
	}
	return nil
}

// tellOf tells what is new of a run.
func (l *lives) tellOf(id string) error {
	fresh, err := l.news(id)
	return errors.Join(l.tell(fresh), err)
}
