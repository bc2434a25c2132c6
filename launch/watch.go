package launch

import (
	"os"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// shortLife is within what a supervisor that dies did not get far.
const shortLife = 2 * time.Second

// watchSupervisor restarts a supervisor that died. Every shim waits for the
// lock of the home, asleep in the kernel; a supervisor's death gives it to
// exactly one of them, which hands it on to the supervisor it starts.
//
// A supervisor that was asked to leave says so in its record and is not
// restarted. The next one, started by somebody's command, says "I am back" to
// every shim it adopts, and only then do they watch again.
func watchSupervisor(h journal.Home, back <-chan struct{}) {
	began, deaths := time.Time{}, 0 // of those that died before they could count themselves
	rested := false
	for {
		lock, err := AwaitLock(h.SupervisorLock())
		if err != nil {
			complain("watch the supervisor", err)
			<-back
			continue
		}
		var last journal.Supervisor
		if journal.Read(h.Supervisor(), &last) == nil && last.State != journal.SupervisorRunning {
			lock.Close()
			<-back
			continue
		}
		if !rested {
			if deaths++; time.Since(began) > shortLife {
				deaths = 0
			}
			if pause := restartPause(max(deaths, last.QuickDeaths)); pause > 0 {
				lock.Close() // whoever has something to ask need not wait for us
				time.Sleep(pause)
				rested = true
				continue
			}
		}
		rested, began = false, time.Now()
		if err := SpawnSupervisor(h, lock, true); err != nil {
			complain("restart the supervisor", err)
			time.Sleep(time.Second)
		}
		lock.Close()
	}
}

// restartPause is nothing for the first deaths and then grows, so that a
// supervisor that cannot live does not eat the machine.
func restartPause(quickDeaths int) time.Duration {
	if quickDeaths <= 3 {
		return 0
	}
	return min(100*time.Millisecond<<min(quickDeaths-4, 10), 30*time.Second)
}

// succeed is what a spare shim does whose supervisor is gone: if that died with
// work left, another is started, and watched in its turn. Shims with a run do the
// same, but a run that waits for its turn, a plan between two tasks and a
// verification between two checks have none. It returns when a supervisor has
// left of its own accord, or there is nothing left to be done.
func succeed(h journal.Home) {
	for {
		lock, err := AwaitLock(h.SupervisorLock())
		if err != nil {
			complain("watch the supervisor", err)
			return
		}
		var last journal.Supervisor
		open, oerr := os.ReadDir(h.Commands())
		if journal.Read(h.Supervisor(), &last) != nil || last.State != journal.SupervisorRunning || oerr != nil || len(open) == 0 {
			lock.Close()
			return
		}
		if pause := restartPause(last.QuickDeaths); pause > 0 {
			lock.Close() // whoever has something to ask need not wait for us
			time.Sleep(pause)
			if lock, err = TryLock(h.SupervisorLock()); err != nil {
				continue // somebody was faster
			}
		}
		if err := SpawnSupervisor(h, lock, true); err != nil {
			complain("restart the supervisor", err)
			time.Sleep(time.Second)
		}
		lock.Close()
	}
}
