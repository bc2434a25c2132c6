package launch

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// pidfdSignalProcessGroup is PIDFD_SIGNAL_PROCESS_GROUP, Linux 6.9.
const pidfdSignalProcessGroup = 1 << 2

// Signal sends sig to the process id names, or returns ErrGone.
func Signal(id journal.Identity, sig syscall.Signal) error {
	if boot, err := BootID(); err != nil || boot != id.BootID {
		return errors.Join(ErrGone, err)
	}
	return stat{pid: id.PID, start: id.StartTicks}.signal(sig)
}

// signal sends sig to the process that st describes, or returns ErrGone. The
// start time is read again after the pidfd is open: if it is still the same
// the descriptor holds the process that was listed and no successor.
func (st stat) signal(sig unix.Signal) error {
	fd, err := unix.PidfdOpen(st.pid, 0)
	if err != nil {
		return fmt.Errorf("pid %d: %w", st.pid, ErrGone)
	}
	defer unix.Close(fd)
	now, err := readStat(st.pid)
	if err != nil || now.start != st.start || !now.live() {
		return fmt.Errorf("pid %d: %w", st.pid, ErrGone)
	}
	if sig == unix.SIGKILL && now.pgid == st.pid {
		// The kernel signals a whole group in one step that no fork slips
		// through. A group of the tree holds nobody else: groups live inside
		// a session, and the child began its own.
		if unix.PidfdSendSignal(fd, sig, nil, pidfdSignalProcessGroup) == nil {
			return nil
		}
	}
	if err := unix.PidfdSendSignal(fd, sig, nil, 0); err != nil {
		return fmt.Errorf("pid %d: %w", st.pid, ErrGone)
	}
	return nil
}
