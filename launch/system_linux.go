package launch

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"github.com/agent-runs/agent-runs/internal/rawfile"
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

// mayRaiseLimits reports whether this process may give more than it has:
// root in a container often may not.
func mayRaiseLimits() bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	err := unix.Capget(&head, &data[0])
	return err == nil && data[0].Effective&(1<<unix.CAP_SYS_RESOURCE) != 0
}

// InsideRun reports whether this process is part of some run's tree, whatever
// became of its environment: a shim is among its ancestors. Orphans of a tree
// come to its shim, so there is no way out of this.
func InsideRun() bool {
	for pid := os.Getppid(); pid > 1; {
		st, err := readStat(pid)
		if err != nil {
			return false
		}
		args, err := rawfile.Read("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if f := bytes.SplitN(args, []byte{0}, 3); err == nil && len(f) == 3 && string(f[1]) == RoleShim {
			return true
		}
		pid = st.ppid
	}
	return false
}
