package launch

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// On Linux a forked copy of the shim sits at the gate. Nothing else keeps the
// promise at every instant and costs so little: a tracer's death sets a tracee running if it comes
// between the stop at exec and PTRACE_O_EXITKILL, and exec under a tracer
// drops set-user-ID and file capabilities.
//
// os/exec cannot pause between fork and exec, so the fork is ours. It takes
// the runtime's own hooks for that, as gvisor does (go.dev/issue/67401 keeps
// them reachable). In the copy only the calling thread exists: no allocation,
// no lock, no growing stack, raw system calls only.

//go:linkname runtimeBeforeFork syscall.runtime_BeforeFork
func runtimeBeforeFork()

//go:linkname runtimeAfterFork syscall.runtime_AfterFork
func runtimeAfterFork()

//go:linkname runtimeAfterForkInChild syscall.runtime_AfterForkInChild
func runtimeAfterForkInChild()

// childSpec is all that the copy needs, prepared before the fork.
type childSpec struct {
	path    *byte
	argv    **byte
	envv    **byte
	dir     *byte
	mark    *byte // made if the program is not executed
	stdio   [3]int32
	cgroup  int // descriptor of a cgroup directory, or -1
	umask   int
	rlimits []unix.Rlimit // by resource; Max 0 and Cur 0 with set false are left alone
	set     []bool
	gate    [2]int // read end is the copy's
	status  [2]int // write end is the copy's
}

// forkGated forks and returns when the copy stands at the gate. The error is
// a *stageError if the copy could not get there; it is reaped then.
func forkGated(s *childSpec) (*Gated, error) {
	if err := unix.Pipe2(s.gate[:], unix.O_CLOEXEC); err != nil {
		return nil, &stageError{"fork", err}
	}
	if err := unix.Pipe2(s.status[:], unix.O_CLOEXEC); err != nil {
		unix.Close(s.gate[0])
		unix.Close(s.gate[1])
		return nil, &stageError{"fork", err}
	}
	// No descriptor may leak into a concurrent os/exec child of this process.
	syscall.ForkLock.Lock()
	pid, errno := forkChild(s)
	syscall.ForkLock.Unlock()
	runtime.KeepAlive(s)
	unix.Close(s.gate[0])
	unix.Close(s.status[1])
	g := &Gated{PID: int(pid), gate: os.NewFile(uintptr(s.gate[1]), "gate"), status: os.NewFile(uintptr(s.status[0]), "status")}
	if errno != 0 {
		g.close()
		return nil, &stageError{"fork", errno}
	}
	if err := g.await(stageReady); err != nil {
		g.close()
		reap(g.PID)
		return nil, err
	}
	return g, nil
}

// cloneArgs is struct clone_args of linux/sched.h up to cgroup.
type cloneArgs struct {
	flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls, setTID, setTIDSize, cgroup uint64
}

const cloneIntoCgroup = 0x200000000

// atCwd is AT_FDCWD, -100, as a register holds it.
const atCwd = ^uintptr(99)

// forkChild forks. In the child it never returns.
//
//go:noinline
//go:norace
//go:nosplit
//go:nocheckptr
func forkChild(s *childSpec) (pid uintptr, errno syscall.Errno) {
	args := cloneArgs{exitSignal: uint64(unix.SIGCHLD)}
	if s.cgroup >= 0 {
		args.flags, args.cgroup = cloneIntoCgroup, uint64(s.cgroup)
	}
	runtimeBeforeFork()
	if s.cgroup >= 0 {
		pid, _, errno = syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
	} else {
		pid, _, errno = rawFork()
	}
	if errno != 0 || pid != 0 {
		runtimeAfterFork()
		return pid, errno
	}
	runtimeAfterForkInChild()
	childMain(s)
	return 0, 0
}

// childMain is the copy's whole life.
//
//go:noinline
//go:norace
//go:nosplit
//go:nocheckptr
func childMain(s *childSpec) {
	var report [2]int32
	var word [1]byte
	var stage int32
	var e syscall.Errno
	var n uintptr
	zero := [32]byte{}

	syscall.RawSyscall(unix.SYS_CLOSE, uintptr(s.gate[1]), 0, 0)
	syscall.RawSyscall(unix.SYS_CLOSE, uintptr(s.status[0]), 0, 0)
	syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
	syscall.RawSyscall(unix.SYS_UMASK, uintptr(s.umask), 0, 0)

	// Every signal back to its default: what the first caller of the
	// supervisor ignored must not be ignored by every later child.
	for sig := uintptr(1); sig <= 64; sig++ {
		syscall.RawSyscall6(unix.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&zero)), 0, 8, 0, 0)
	}
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, 2, uintptr(unsafe.Pointer(&zero)), 0, 8, 0, 0)

	stage = stageStdio
	// The three sources are above 2 (the shim holds the null device there),
	// so no dup can overwrite one that is still needed.
	for i := uintptr(0); i < 3; i++ {
		if _, _, e = syscall.RawSyscall(unix.SYS_DUP3, uintptr(s.stdio[i]), i, 0); e != 0 {
			goto fail
		}
	}
	stage = stageLimit
	for i := 0; i < len(s.set); i++ {
		if s.set[i] {
			if _, _, e = syscall.RawSyscall6(unix.SYS_PRLIMIT64, 0, uintptr(i), uintptr(unsafe.Pointer(&s.rlimits[i])), 0, 0, 0); e != 0 {
				goto fail
			}
		}
	}
	stage = stageCwd
	if _, _, e = syscall.RawSyscall(unix.SYS_CHDIR, uintptr(unsafe.Pointer(s.dir)), 0, 0); e != 0 {
		goto fail
	}
	syscall.RawSyscall(unix.SYS_WRITE, uintptr(s.status[1]), uintptr(unsafe.Pointer(&report)), statusRecord)

	for {
		n, _, e = syscall.RawSyscall(unix.SYS_READ, uintptr(s.gate[0]), uintptr(unsafe.Pointer(&word)), 1)
		if e != syscall.EINTR {
			break
		}
	}
	if n == 1 && e == 0 {
		stage = stageExec
		_, _, e = syscall.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(s.path)), uintptr(unsafe.Pointer(s.argv)), uintptr(unsafe.Pointer(s.envv)))
	}
fail:
	// The mark before the end: who finds the one must find the other. Without
	// a descriptor, since the limits of the program already hold.
	syscall.RawSyscall6(unix.SYS_MKNODAT, atCwd, uintptr(unsafe.Pointer(s.mark)), unix.S_IFREG|0o600, 0, 0, 0)
	if e != 0 {
		report[0], report[1] = stage, int32(e)
		syscall.RawSyscall(unix.SYS_WRITE, uintptr(s.status[1]), uintptr(unsafe.Pointer(&report)), statusRecord)
	}
	for {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, gateFailed, 0, 0)
	}
}
