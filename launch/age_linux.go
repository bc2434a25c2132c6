package launch

import (
	"fmt"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// tick is the unit of journal.Identity.StartTicks: USER_HZ is 100 on every
// architecture that Go runs on.
const tick = 10 * time.Millisecond

// AgeOf tells how long ago the process of p was started. It goes by the
// kernel's clocks since boot, so setting the time of day changes nothing. The
// error is ErrGone for a process of another boot.
func AgeOf(p *journal.Process) (Age, error) {
	boot, err := BootID()
	if err == nil && boot != p.Identity.BootID {
		err = fmt.Errorf("process %d of another boot: %w", p.PID, ErrGone)
	}
	if err != nil {
		return Age{}, err
	}
	now, err := readUptime()
	return now.age(p), err
}

// asleepMS is what a process record says of the time before it.
func asleepMS() (int64, error) {
	now, err := readUptime()
	return now.asleep.Milliseconds(), err
}

// readUptime reads both clocks. What passes between the two readings would be
// taken for sleep, so the closest of a few pairs counts.
func readUptime() (best uptime, err error) {
	closest := time.Duration(-1)
	for range 3 {
		var at [3]time.Duration
		for i, clock := range []int32{unix.CLOCK_MONOTONIC, unix.CLOCK_BOOTTIME, unix.CLOCK_MONOTONIC} {
			var ts unix.Timespec
			if err := unix.ClockGettime(clock, &ts); err != nil {
				return uptime{}, fmt.Errorf("clock %d: %w", clock, err)
			}
			at[i] = time.Duration(ts.Nano())
		}
		if apart := at[2] - at[0]; closest < 0 || apart < closest {
			closest, best = apart, uptime{total: at[1], asleep: at[1] - at[0] - apart/2}
		}
	}
	return best, nil
}
