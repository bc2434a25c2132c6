package launch

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// Handle refers to one process. Waiting never takes a successor of its pid for
// it; for signals see stat.signal on the window that macOS leaves.
type Handle struct {
	ID     journal.Identity
	kq     int
	ended  chan struct{} // closed when the process has ended
	left   chan struct{} // closed when the handle is
	closed sync.Once
}

// closeIdent names the event that Close wakes the watching goroutine with.
const closeIdent = 1

// Open returns a handle on the process id names, or ErrGone. The identity is
// checked after the kernel was asked to tell of the end: if it is still the
// same, the end that will be told is this process's.
func Open(id journal.Identity) (*Handle, error) {
	kq, err := unix.Kqueue()
	if err != nil {
		return nil, fmt.Errorf("kqueue for %d: %w", id.PID, err)
	}
	unix.CloseOnExec(kq)
	ask := make([]unix.Kevent_t, 2)
	unix.SetKevent(&ask[0], closeIdent, unix.EVFILT_USER, unix.EV_ADD)
	unix.SetKevent(&ask[1], id.PID, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	ask[1].Fflags = unix.NOTE_EXIT
	_, err = unix.Kevent(kq, ask, nil, nil)
	gone := errors.Is(err, unix.ESRCH)
	if err == nil {
		var alive bool
		alive, err = Alive(id)
		gone = err == nil && !alive
	}
	if err != nil || gone {
		unix.Close(kq)
		if gone {
			err = ErrGone
		}
		return nil, fmt.Errorf("pid %d: %w", id.PID, err)
	}
	h := &Handle{ID: id, kq: kq, ended: make(chan struct{}), left: make(chan struct{})}
	go h.watch()
	return h, nil
}

// watch owns the kqueue and closes it when the handle is closed, never before:
// its number must not be another file's while Close may use it.
func (h *Handle) watch() {
	defer unix.Close(h.kq)
	told := make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(h.kq, nil, told, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			<-h.left
			return
		case n == 1 && told[0].Filter == unix.EVFILT_USER:
			return
		case n == 1:
			close(h.ended)
		}
	}
}

// Close releases the handle. The process is not touched.
func (h *Handle) Close() error {
	err := os.ErrClosed
	h.closed.Do(func() {
		defer close(h.left)
		wake := make([]unix.Kevent_t, 1)
		unix.SetKevent(&wake[0], closeIdent, unix.EVFILT_USER, 0)
		wake[0].Fflags = unix.NOTE_TRIGGER
		_, err = unix.Kevent(h.kq, wake, nil, nil)
	})
	return err
}

// Signal sends sig to the process, or returns ErrGone.
func (h *Handle) Signal(sig syscall.Signal) error {
	select {
	case <-h.left:
		return os.ErrClosed
	default:
	}
	return stat{pid: h.ID.PID, start: h.ID.StartTicks}.signal(sig)
}

// Wait returns when the process has ended, or with an error when the handle
// is closed. It takes no exit status away from the parent.
func (h *Handle) Wait() error {
	select {
	case <-h.ended:
		return nil
	case <-h.left:
		return os.ErrClosed
	}
}

// Ended reports whether the process has ended.
func (h *Handle) Ended() bool {
	select {
	case <-h.ended:
		return true
	default:
		return false
	}
}

// ExitStatus is never known to a process that is not the parent.
func (h *Handle) ExitStatus() (ws syscall.WaitStatus, ok bool) { return 0, false }

// Signal sends sig to the process id names, or returns ErrGone.
func Signal(id journal.Identity, sig syscall.Signal) error {
	h, err := Open(id)
	if err != nil {
		return err
	}
	defer h.Close()
	return h.Signal(sig)
}
