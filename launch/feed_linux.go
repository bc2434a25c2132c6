package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// OpenFeed opens the run's file of what is said, through the shim's own
// descriptor if it can be had. shim may be nil.
func OpenFeed(path string, shim *Handle) (*Feed, error) {
	if shim != nil {
		if fd := shim.descriptorOf(path); fd >= 0 {
			if own, err := shim.borrow(fd); err == nil {
				return &Feed{Shared: true, file: os.NewFile(uintptr(own), path)}, nil
			}
		}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &Feed{file: f}, nil
}

// descriptorOf finds the number under which the process has a file open.
func (h *Handle) descriptorOf(path string) int {
	want, err := os.Stat(path)
	if err != nil {
		return -1
	}
	dir := fmt.Sprintf("/proc/%d/fd", h.ID.PID)
	names, err := os.ReadDir(dir)
	if err != nil {
		return -1
	}
	for _, n := range names {
		if have, err := os.Stat(filepath.Join(dir, n.Name())); err == nil && os.SameFile(have, want) {
			if fd, err := strconv.Atoi(n.Name()); err == nil {
				return fd
			}
		}
	}
	return -1
}

// borrow returns a duplicate of another process's descriptor: the same open
// file, with the same position. The handle is what makes it the right process.
func (h *Handle) borrow(fd int) (own int, err error) {
	cerr := h.control(func(pidfd int) error {
		own, err = unix.PidfdGetfd(pidfd, fd, 0)
		return err
	})
	return own, cerr
}

// Move moves bytes up to position end into a pipe that does not block, and
// waits while it is full. The kernel moves bytes and position in one step
// that no kill can part.
func (f *Feed) Move(to *os.File, end int64) error {
	for {
		at, err := f.Position()
		if err != nil || at >= end {
			return err
		}
		if err := f.step(to, end-at); err != nil {
			return err
		}
	}
}

func (f *Feed) step(to *os.File, n int64) error {
	in, err := f.file.SyscallConn()
	if err != nil {
		return err
	}
	out, err := to.SyscallConn()
	if err != nil {
		return err
	}
	var moved int64
	var serr error
	cerr := in.Control(func(from uintptr) {
		err = out.Write(func(pipe uintptr) bool {
			moved, serr = unix.Splice(int(from), nil, int(pipe), nil, int(min(n, 1<<20)), unix.SPLICE_F_NONBLOCK)
			return serr != unix.EAGAIN
		})
	})
	switch {
	case cerr != nil:
		return cerr
	case err != nil:
		return err
	case serr != nil && serr != unix.EINTR:
		return &os.SyscallError{Syscall: "splice", Err: serr}
	case serr == nil && moved == 0:
		return ErrFeedShort
	}
	return nil
}

// allowFeed lets supervisors that are no ancestors of this shim take its
// descriptors where the system asks for more than the same user (Yama).
func allowFeed() { unix.Prctl(unix.PR_SET_PTRACER, unix.PR_SET_PTRACER_ANY, 0, 0, 0) }
