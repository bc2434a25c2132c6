package launch

import (
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// tick is the unit of journal.Identity.StartTicks.
const tick = time.Microsecond

// AgeOf goes by the time of day: macOS records no start that could be compared
// with a clock that nobody sets. So here a restarted supervisor counts time
// that the machine was suspended, and believes a clock that was set.
func AgeOf(p *journal.Process) (Age, error) {
	return Age{Awake: max(0, time.Since(p.StartedAt))}, nil
}

// asleepMS is not told here.
func asleepMS() (int64, error) { return 0, nil }
