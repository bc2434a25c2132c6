package posting

import (
	"errors"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// Ceilings refuses limits that the run's shim would find it cannot set, before
// anything is written. What changes after this look is the shim's to refuse.
func Ceilings(h journal.Home, l journal.Limits) error {
	if launch.CeilingsOf(l) == (launch.Ceilings{}) {
		return nil
	}
	err := launch.ErrTreeWithout
	if tree() != "subreaper" {
		err = launch.CeilingsUsable(cli.SupervisorPID(h))
	}
	if err == nil {
		return nil
	}
	refusal := cli.Fail(cli.Refused, "a ceiling of memory or processes (--max-memory, --max-processes or a setting) cannot be had here: %v", err)
	var none *launch.NoCeilings
	if errors.As(err, &none) && none.Try != "" {
		return refusal.WithTry("%s", none.Try)
	}
	return refusal
}
