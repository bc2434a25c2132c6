package launch

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What the other files need to know of macOS.
const (
	lastLimit  = unix.RLIMIT_NOFILE
	waitAll    = 0
	maxrssUnit = 1024 // ru_maxrss is in bytes

	sigSetmask = 3 // SIG_SETMASK of sys/signal.h
)

// becomeSubreaper does nothing: macOS gives every orphan to launchd. What the
// shim cannot see this way is why a tree is never called empty here.
func becomeSubreaper() error { return nil }

// self is the path this program was started by. macOS has no name for a
// running executable, so after an upgrade it is the new one and after a
// deletion nothing can be started any more.
func self() (string, error) { return os.Executable() }

// siblingAttr cannot choose the parent here and need not: the run's tree is
// the child's session and what it started, never the shim's children.
func siblingAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// pipe returns two ends that no other program inherits.
func pipe() (ends [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err = unix.Pipe(ends[:]); err == nil {
		unix.CloseOnExec(ends[0])
		unix.CloseOnExec(ends[1])
	}
	return ends, err
}

// unblockSignals clears the signal mask of the calling thread.
func unblockSignals() error {
	var none uint32
	if _, _, e := syscall.RawSyscall(syscall.SYS_SIGPROCMASK, sigSetmask, uintptr(unsafe.Pointer(&none)), 0); e != 0 {
		return e
	}
	return nil
}

// memoryDirs is empty: macOS mounts no memory file system for its users, so
// the environment waits in the run's own directory.
func memoryDirs() []string { return nil }

// warmTree has nothing to look for.
func warmTree() {}

// nameProcess does nothing: ps shows the arguments here.
func nameProcess(string) {}

// mayRaiseLimits reports whether this process may give more than it has.
func mayRaiseLimits() bool { return os.Geteuid() == 0 }

// InsideRun cannot tell more than the environment does: trees have no root here.
func InsideRun() bool { return false }
