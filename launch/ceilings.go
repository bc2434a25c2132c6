package launch

import (
	"errors"

	"github.com/agent-runs/agent-runs/journal"
)

// Ceilings bound all processes of a run together, by the kernel. Zero means
// none.
type Ceilings struct {
	Memory    int64 // bytes
	Processes int64 // and threads
}

// CeilingsOf are those among the limits of a run.
func CeilingsOf(l journal.Limits) Ceilings { return Ceilings{l.MaxMemoryBytes, l.MaxProcesses} }

func (c Ceilings) any() bool { return c != Ceilings{} }

// NoCeilings says why a run cannot have ceilings here, and what might help.
type NoCeilings struct {
	Reason error
	Try    string
}

func (e *NoCeilings) Error() string { return e.Reason.Error() }
func (e *NoCeilings) Unwrap() error { return e.Reason }

// ErrTreeWithout refuses ceilings to a run that is to be held together by
// something else than a cgroup.
var ErrTreeWithout = errors.New("its tree is to be held without a cgroup (AGENT_RUNS_TREE)")
