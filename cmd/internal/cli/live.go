package cli

import (
	"os"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
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

// atWork reports whether somebody is at work on the run or will be: its shim
// holds the lock, or its command is open. Where there is no telling it says so
// too, because the answer keeps a live run from being taken for over.
func atWork(h journal.Home, id string) bool {
	if _, err := os.Lstat(h.Command(id)); !os.IsNotExist(err) {
		return true
	}
	held, err := launch.Held(h.File(id, journal.LockFile))
	return held || err != nil
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
