package launch

import (
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// Age is how long ago a process was started, parted into the time that the
// machine was awake and the time that it was suspended. Where the system tells
// no suspension all of it counts as awake.
type Age struct{ Awake, Asleep time.Duration }

// uptime is one reading of the clocks that nobody sets: the time since the
// machine was booted, and how much of it the machine was suspended.
type uptime struct{ total, asleep time.Duration }

// age is what is between the recorded start and now. It is never more than
// what passed: the start is taken for the end of the tick it was in.
func (now uptime) age(p *journal.Process) Age {
	slept := max(0, now.asleep-time.Duration(p.AsleepMS)*time.Millisecond)
	passed := max(0, now.total-time.Duration(p.Identity.StartTicks+1)*tick)
	return Age{Awake: max(0, passed-slept), Asleep: min(slept, passed)}
}
