package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/supervisor"
)

// Home returns the home for commands about runs that are there already: it
// creates nothing. A home that is not there yet holds no runs, which is no
// error.
func Home() (journal.Home, error) {
	dir, err := journal.HomeDir(os.Getenv)
	if err != nil {
		return journal.Home{}, Fail(Usage, "%v", err)
	}
	h, err := journal.CheckHome(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return h, Fail(Usage, "%v", err)
	}
	return h, nil
}

// ReaderHome is Home for commands that only look. A reader needs no
// supervisor, except that a home left by a crash recovers with any command:
// where intents are open and nobody is there to carry them out, it starts one.
// That it could not is said and does not keep anybody from looking.
func ReaderHome() (journal.Home, error) {
	h, err := Home()
	if err != nil {
		return h, err
	}
	if err := recoverHome(h); err != nil {
		fmt.Fprintf(os.Stderr, "note: open work is not carried out: %v\n", err)
	}
	return h, nil
}

func recoverHome(h journal.Home) error {
	if !intents(h) {
		return nil
	}
	free, err := Unsupervised(h)
	if err != nil || !free {
		return err
	}
	if supervisor.SentAway(h) {
		return nil
	}
	return supervisor.Ensure(h)
}

// SupervisorPID is the process that starts the shims of new runs, 0 where none
// is there and this one would start it.
func SupervisorPID(h journal.Home) int {
	var s journal.Supervisor
	if err := journal.Read(h.Supervisor(), &s); err != nil {
		return 0
	}
	if alive, err := launch.Alive(s.Identity); err != nil || !alive {
		return 0
	}
	return s.PID
}

// intents reports whether the command directory holds anything. Commands are
// staged elsewhere, so every name there is meant.
func intents(h journal.Home) bool {
	d, err := os.Open(h.Commands())
	if err != nil {
		return false
	}
	defer d.Close()
	names, _ := d.Readdirnames(1)
	return len(names) > 0
}

// passing is how long those who learn by the lock that a supervisor has left
// may hold it, one after the other.
const passing = 200 * time.Millisecond

// Unsupervised reports whether nobody holds the home's lock. The lock is let
// go at once. After a supervisor has said that it leaves, shims and waiting
// commands take it in turn, and none of them is one.
func Unsupervised(h journal.Home) (bool, error) {
	if _, err := os.Lstat(h.SupervisorLock()); errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	lock, err := launch.TryLock(h.SupervisorLock())
	if errors.Is(err, launch.ErrLocked) && supervisor.SentAway(h) {
		lock, err = launch.AwaitLockFor(h.SupervisorLock(), passing)
	}
	if errors.Is(err, launch.ErrLocked) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, lock.Close()
}
