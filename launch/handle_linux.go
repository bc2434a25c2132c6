package launch

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// Handle refers to one process and never to a successor of its pid.
type Handle struct {
	ID journal.Identity
	f  *os.File // pidfd, in the runtime's poller: waiting costs no thread
}

// Open returns a handle on the process id names, or ErrGone. The identity is
// checked after the pidfd is open: from then on the pid in it cannot be reused
// for the descriptor, so what was checked is what is held.
func Open(id journal.Identity) (*Handle, error) {
	fd, err := unix.PidfdOpen(id.PID, unix.PIDFD_NONBLOCK)
	if errors.Is(err, unix.ESRCH) || id.PID <= 0 {
		return nil, fmt.Errorf("pid %d: %w", id.PID, ErrGone)
	}
	if err != nil {
		return nil, fmt.Errorf("pidfd of %d: %w", id.PID, err)
	}
	alive, err := Alive(id)
	if err == nil && !alive {
		err = fmt.Errorf("pid %d: %w", id.PID, ErrGone)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &Handle{ID: id, f: os.NewFile(uintptr(fd), "pidfd")}, nil
}

// Close releases the handle. The process is not touched.
func (h *Handle) Close() error { return h.f.Close() }

// Signal sends sig to the process, or returns ErrGone.
func (h *Handle) Signal(sig syscall.Signal) error {
	err := h.control(func(fd int) error { return unix.PidfdSendSignal(fd, sig, nil, 0) })
	if errors.Is(err, unix.ESRCH) {
		return ErrGone
	}
	return err
}

// Wait returns when the process has ended, or with an error when the handle
// is closed. It takes no exit status away from the parent.
func (h *Handle) Wait() error {
	c, err := h.f.SyscallConn()
	if err != nil {
		return err
	}
	return c.Read(func(fd uintptr) bool { return pidfdEnded(int(fd)) })
}

// Ended reports whether the process has ended.
func (h *Handle) Ended() bool {
	ended := false
	h.control(func(fd int) error { ended = pidfdEnded(fd); return nil })
	return ended
}

func pidfdEnded(fd int) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(p, 0)
	return err == nil && n == 1
}

// pidfdInfo is struct pidfd_info of include/uapi/linux/pidfd.h, first version.
type pidfdInfo struct {
	mask, cgroupID                                         uint64
	pid, tgid, ppid                                        uint32
	ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid, code uint32
}

const (
	pidfdInfoExit = 1 << 3     // PIDFD_INFO_EXIT, Linux 6.15
	pidfdGetInfo  = 0xC040FF0B // _IOWR(0xFF, 11, struct pidfd_info)
)

// ExitStatus returns how the process ended, also to a process that is not its
// parent. It is known only once the parent has read it, and only from Linux
// 6.15 on; ok is false otherwise.
func (h *Handle) ExitStatus() (ws syscall.WaitStatus, ok bool) {
	info := pidfdInfo{mask: pidfdInfoExit}
	err := h.control(func(fd int) error {
		_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), pidfdGetInfo, uintptr(unsafe.Pointer(&info)))
		if e != 0 {
			return e
		}
		return nil
	})
	return syscall.WaitStatus(info.code), err == nil && info.mask&pidfdInfoExit != 0
}

func (h *Handle) control(f func(fd int) error) error {
	c, err := h.f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := c.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return err
	}
	return inner
}
