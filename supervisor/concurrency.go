package supervisor

import (
	"os"
	"slices"

	"github.com/agent-runs/agent-runs/settings"
)

// concurrency is how many runs with a slot may be at work at once, by the
// settings as they are now: who changes them need not tell the supervisor.
func (s *Supervisor) concurrency() int {
	n, warnings := settings.Concurrency(os.Getenv)
	if !slices.Equal(warnings, s.warned) {
		for _, w := range warnings {
			s.log.Print(w)
		}
		s.warned = warnings
	}
	return n
}
