package cli

import (
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

// Gone reports whether the run is over for everybody who waits for it: its
// result is there, it was removed, or it can never start.
func Gone(h journal.Home, id string) bool {
	if Settled(h, id) {
		return true
	}
	v, err := Brief(h, id)
	return isGone(err) || err == nil && v.Phase == journal.PhaseTerminal
}

// Proven reports whether it is known that nothing of the run is left: its
// tree was seen empty, or it never had one.
func (v View) Proven() bool {
	return v.Tree.State == journal.TreeEmpty || v.Tree.State == treeNone
}
