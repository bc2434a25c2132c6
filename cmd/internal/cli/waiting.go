package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/journal/completion"
	"github.com/agent-runs/agent-runs/journal/lifecycle"
	"github.com/agent-runs/agent-runs/launch"
)

// Waiting returns the completions of owner that are not acknowledged, by the
// time of their end, and how many runs are still to have one. Those in seen
// are passed over without being read.
func Waiting(h journal.Home, owner string, seen map[string]bool) (ended []lifecycle.Event, live int, err error) {
	boot, err := launch.BootID()
	if err != nil {
		return nil, 0, err
	}
	err = completion.Complete(h, owner, boot, func(f func(string) error) error { return EachOwned(h, owner, f) })
	if err != nil {
		return nil, 0, err
	}
	ids, err := completion.Marked(h, owner, seen)
	for _, id := range ids {
		end, e := Completion(h, id)
		switch {
		case e != nil:
			return nil, 0, e
		case end == nil:
			live++
		case end.Owner == owner && end.PartOf == "":
			ended = append(ended, *end)
		}
	}
	slices.SortFunc(ended, func(a, b lifecycle.Event) int {
		if n := a.At.Compare(b.At); n != 0 {
			return n
		}
		return strings.Compare(a.RunID, b.RunID)
	})
	return ended, live, err
}

// Waits reports whether the completion of a run waits to be acknowledged.
func Waits(h journal.Home, v View) bool {
	if v.Result == nil || v.Launch == nil || v.Launch.PartOf != "" {
		return false
	}
	_, err := os.Lstat(h.File(v.ID, journal.AcknowledgedFile))
	return err != nil
}

// Completion returns the last event of a run that is over, else nil.
func Completion(h journal.Home, id string) (*lifecycle.Event, error) {
	if _, err := os.Lstat(h.File(id, journal.ResultFile)); err != nil {
		return nil, unlessMissing(err)
	}
	events, err := Life(h, id)
	if err != nil || len(events) == 0 || !events[len(events)-1].Terminal() {
		return nil, err
	}
	return &events[len(events)-1], nil
}
