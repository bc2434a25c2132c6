package posting

import (
	"errors"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/settings"
)

// Ceilings refuses limits that the run's shim would find it cannot set, before
// anything is written, and names the setting in s that asks for one. What
// changes after this look is the shim's to refuse.
func Ceilings(h journal.Home, l journal.Limits, s *settings.Settings) error {
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
	refusal := cli.Fail(cli.Refused, "a ceiling of memory or processes (%s) cannot be had here: %v", asker(l, s), err)
	var none *launch.NoCeilings
	if errors.As(err, &none) && none.Try != "" {
		return refusal.WithTry("%s", none.Try)
	}
	return refusal
}

// asker says what asks for the ceilings: settings, else options.
func asker(l journal.Limits, s *settings.Settings) string {
	var all []string
	for _, c := range []struct {
		limit string
		value int64
	}{{"memory", l.MaxMemoryBytes}, {"processes", l.MaxProcesses}} {
		if from := s.Behind(c.limit, l); from != "" {
			all = append(all, from)
		} else if c.value > 0 {
			all = append(all, "--max-"+c.limit)
		}
	}
	return strings.Join(all, ", ")
}
