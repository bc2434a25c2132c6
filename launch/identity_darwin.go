package launch

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// BootID names this boot of this machine. It never changes while it runs.
var BootID = sync.OnceValues(func() (string, error) {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", fmt.Errorf("boot id: %w", err)
	}
	return id, nil
})

// States of kinfo_proc, see sys/proc.h: idle, running, sleeping, stopped, zombie.
const stateLetters = "?IRSTZ"

// readStat asks the kernel's process table. The start time in it is the one
// the kernel took when the process began and keeps with it: unlike times that
// are derived from the clock it does not move when the clock is set. The same
// pid could show the same one again only if the clock were set back and a
// successor began in the very microsecond.
func readStat(pid int) (stat, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	// For a pid that nobody has the kernel returns nothing, which x/sys calls EIO.
	if errors.Is(err, unix.EIO) || errors.Is(err, unix.ESRCH) {
		return stat{}, fmt.Errorf("pid %d: %w", pid, ErrGone)
	}
	if err != nil {
		return stat{}, fmt.Errorf("process %d: %w", pid, err)
	}
	s := stat{pid: int(k.Proc.P_pid), ppid: int(k.Eproc.Ppid), pgid: int(k.Eproc.Pgid), state: '?',
		start: uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec),
		name:  unix.ByteSliceToString(k.Proc.P_comm[:])}
	if n := int(k.Proc.P_stat); n > 0 && n < len(stateLetters) {
		s.state = stateLetters[n]
	}
	// A process that ends just now has no session any more: 0, which no child has.
	s.sid, _ = unix.Getsid(pid)
	return s, nil
}

// signal sends sig to the process that st describes, or returns ErrGone.
//
// macOS has no descriptor for a process. Between the check and the signal the
// process may end, be reaped, and its pid be given to another: a window of
// microseconds that cannot be closed here.
func (st stat) signal(sig unix.Signal) error {
	now, err := readStat(st.pid)
	if err != nil || now.start != st.start || !now.live() {
		return fmt.Errorf("pid %d: %w", st.pid, ErrGone)
	}
	err = unix.Kill(st.pid, sig)
	if errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("pid %d: %w", st.pid, ErrGone)
	}
	return err
}
