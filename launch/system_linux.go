package launch

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// What the other files need to know of Linux.
const (
	lastLimit  = unix.RLIMIT_RTTIME
	waitAll    = unix.WALL // also children whose end sends no SIGCHLD
	maxrssUnit = 1         // ru_maxrss is in KiB
)

// becomeSubreaper makes every orphan of the tree come to this process.
func becomeSubreaper() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// nameProcess sets the name that ps -o comm and top show: through
// /proc/self/exe every role would be called "exe". At most 15 bytes.
func nameProcess(name string) {
	// The name belongs to the first thread, which is the one we start on.
	os.WriteFile("/proc/self/comm", []byte(name), 0)
}

// self is the running executable, also after it was replaced or deleted on
// disk (an upgrade, or the temporary program of "go run").
func self() (string, error) { return "/proc/self/exe", nil }

// siblingAttr makes a new process a child of our parent: a supervisor that
// were a shim's child would be swept away as part of the run's tree.
func siblingAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Cloneflags: unix.CLONE_PARENT}
}

// pipe returns two ends that no other program inherits.
func pipe() (ends [2]int, err error) {
	err = unix.Pipe2(ends[:], unix.O_CLOEXEC)
	return ends, err
}

// unblockSignals clears the signal mask of the calling thread.
func unblockSignals() error { return unix.PthreadSigmask(unix.SIG_SETMASK, &unix.Sigset_t{}, nil) }
