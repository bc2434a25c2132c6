package launch

import (
	"errors"
	"fmt"

	"github.com/agent-runs/agent-runs/journal"
)

// ErrGone reports that the process of an identity does not exist any more.
// A zombie is gone: it runs nothing and only waits to be read.
var ErrGone = errors.New("process is gone")

// IdentityOf returns the identity of the process that has pid now, or ErrGone.
func IdentityOf(pid int) (journal.Identity, error) {
	boot, err := BootID()
	if err != nil {
		return journal.Identity{}, err
	}
	st, err := readStat(pid)
	if err != nil {
		return journal.Identity{}, err
	}
	if !st.live() {
		return journal.Identity{}, fmt.Errorf("pid %d: %w", pid, ErrGone)
	}
	return journal.Identity{BootID: boot, PID: pid, StartTicks: st.start}, nil
}

// Alive reports whether the very process that id names still runs. An error
// means that it could not be told.
func Alive(id journal.Identity) (bool, error) {
	now, err := IdentityOf(id.PID)
	switch {
	case errors.Is(err, ErrGone):
		return false, nil
	case err != nil:
		return false, err
	}
	return now == id, nil
}

// stat is a snapshot of one process: from /proc/PID/stat on Linux, see
// proc_pid_stat(5), and from the kernel's process table on macOS.
type stat struct {
	pid, ppid, pgid, sid int
	state                byte
	threads              int    // Linux only
	start                uint64 // as in journal.Identity
	exit                 int    // the wait status of a zombie; Linux only
	name                 string
}

// live is false for zombies and the dead: they run nothing any more. A process
// whose first thread ended is shown as a zombie while the others run on.
func (s stat) live() bool {
	return s.state != 'Z' && s.state != 'X' && s.state != 'x' || s.threads > 1
}
