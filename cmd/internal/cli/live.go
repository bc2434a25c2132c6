package cli

import (
	"os"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
)

// Live returns the runs that are not over, oldest first. They are those whose
// run command is still open: their number is what this costs, not that of all
// runs ever.
func Live(h journal.Home) ([]View, error) {
	if !intents(h) {
		return nil, nil
	}
	ids, _, err := ipc.Pending(h)
	if err != nil {
		return nil, err
	}
	var live []View
	for _, id := range ids {
		v, err := Brief(h, id)
		if isGone(err) {
			continue // not a run command
		}
		if err != nil {
			return nil, err
		}
		if v.Phase != journal.PhaseTerminal {
			live = append(live, v)
		}
	}
	return live, nil
}

// Over reports whether the run has ended for everybody who waits for it: its
// result is there, it was removed, or it can never start.
func Over(h journal.Home, id string) (bool, error) {
	if over, err := Ended(h, id); over || err != nil {
		return over, err
	}
	if removed(h, id) != nil {
		return true, nil
	}
	if _, err := os.Lstat(h.Command(id)); err == nil {
		return false, nil // somebody is at work on it, or will be
	}
	v, err := Brief(h, id)
	if err != nil {
		return isGone(err), unlessGone(err)
	}
	return v.Phase == journal.PhaseTerminal, nil
}

// Proven reports whether it is known that nothing of the run is left: its
// tree was seen empty, or it never had one.
func (v View) Proven() bool {
	return v.Tree.State == journal.TreeEmpty || v.Tree.State == treeNone
}
