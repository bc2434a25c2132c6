package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
)

// story tells the events of some runs in the order of their times.
type story struct {
	home   journal.Home
	owner  string           // only runs of this owner, unless they were named
	offset map[string]int64 // by run: how far it was told
	known  map[string]bool  // runs that are told, were told, or are not to be told
	print  func(journal.Event) error
}

func newStory(h journal.Home, owner string, print func(journal.Event) error) *story {
	return &story{home: h, owner: owner, offset: map[string]int64{}, known: map[string]bool{}, print: print}
}

// begin tells what there is of the named runs, or of all of the owner.
func (s *story) begin(ids []string) error {
	if len(ids) > 0 {
		s.owner = ""
		for _, id := range ids {
			s.add(id)
		}
		return s.tell()
	}
	all, err := journal.RunIDs(s.home)
	if err != nil {
		return err
	}
	for _, id := range all {
		s.known[id] = true
	}
	err = cli.EachOwned(s.home, s.owner, func(id string) error {
		s.known[id], s.offset[id] = true, 0
		return nil
	})
	return errors.Join(err, s.tell())
}

// add takes a run into the story, once.
func (s *story) add(id string) bool {
	if s.known[id] {
		return false
	}
	s.known[id], s.offset[id] = true, 0
	return true
}

// tell prints what is new.
func (s *story) tell() error {
	var fresh []journal.Event
	for id, from := range s.offset {
		events, next, err := journal.ReadEvents(s.home.File(id, journal.EventsFile), from)
		if err != nil {
			return err
		}
		s.offset[id] = next
		for _, e := range events {
			if s.owner == "" || e.Owner == "" || e.Owner == s.owner {
				fresh = append(fresh, e)
			}
		}
	}
	slices.SortStableFunc(fresh, func(a, b journal.Event) int {
		if n := a.At.Compare(b.At); n != 0 {
			return n
		}
		return strings.Compare(a.RunID, b.RunID)
	})
	for _, e := range fresh {
		if err := s.print(e); err != nil {
			return err
		}
	}
	return nil
}

func printerOf(asJSON bool) func(journal.Event) error {
	if asJSON {
		return func(e journal.Event) error { return json.NewEncoder(os.Stdout).Encode(e) }
	}
	return func(e journal.Event) error {
		_, err := fmt.Println(e.At.Local().Format("2006-01-02 15:04:05.000"), e.RunID, e.Type+eventWords(e))
		return err
	}
}

func eventWords(e journal.Event) string {
	var b strings.Builder
	for _, w := range []string{e.Status, e.Cause, e.Signal} {
		if w != "" {
			b.WriteString(" " + w)
		}
	}
	if e.PID != 0 {
		fmt.Fprintf(&b, " pid %d", e.PID)
	}
	if e.Question != "" {
		b.WriteString(" question " + e.Question)
	}
	if e.Bytes != 0 {
		fmt.Fprintf(&b, " %d bytes", e.Bytes)
	}
	if e.Error != "" {
		fmt.Fprintf(&b, ": %s", e.Error)
	}
	return b.String()
}
