package cli

import (
	"strings"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// Doubt says why something of a run that is over may still be there, or is ""
// where nothing can be: its tree was seen empty, or the host was restarted
// since, which nothing survives.
func (v View) Doubt() string {
	if v.Phase != journal.PhaseTerminal || v.Proven() || v.ofAnotherBoot() {
		return ""
	}
	alive := survivors(v)
	switch {
	case alive != "":
		return "of it there are still " + alive
	case v.Exit == nil:
		return "how it ended is not on record"
	case v.Exit.Observed == journal.ObservedWaited:
		return "what it left was not seen to end"
	default:
		return "its shim and supervisor were killed; processes that cleared their environment cannot be told from strangers"
	}
}

// ofAnotherBoot reports whether the run was started before the host was.
func (v View) ofAnotherBoot() bool {
	boot, err := launch.BootID()
	return err == nil && v.Process != nil && v.Process.Identity.BootID != "" && v.Process.Identity.BootID != boot
}

// survivors names who is alive of a run whose end is unproven.
func survivors(v View) string {
	named := Members(v.Tree.Members)
	if v.Exit == nil || v.Process == nil {
		return named
	}
	var left []journal.Leftover
	for _, l := range v.Exit.Leftovers {
		if l.Cleared || strings.Contains(named, Leftovers([]journal.Leftover{l}, false)) {
			continue
		}
		id := journal.Identity{BootID: v.Process.Identity.BootID, PID: l.PID, StartTicks: l.StartTicks}
		if alive, err := launch.Alive(id); alive || err != nil {
			left = append(left, l)
		}
	}
	return strings.Trim(named+", "+Leftovers(left, false), ", ")
}
