package cli

import (
	"slices"

	"github.com/agent-runs/agent-runs/journal"
)

// ByLimit reports whether a limit ended the run.
func (v View) ByLimit() bool {
	return v.Phase == journal.PhaseTerminal && slices.Contains([]string{
		journal.CauseTimeout, journal.CauseQueueTimeout, journal.CauseOutputLimit, journal.CauseMemoryLimit,
		journal.CauseTurnLimit, journal.CauseTokenLimit, journal.CauseCostLimit,
	}, v.Cause)
}

// Failure is what whoever waited for a run that did not complete is told. A
// limit may have been one that no option gave.
func (v View) Failure() *Error {
	e := Fail(RunFailed, "run %s %s", v.ID, v.Ending())
	if v.ByLimit() {
		return e.WithTry("agent-runs settings --explain, if no option gave that limit")
	}
	return e
}
