package launch

import (
	"syscall"

	"golang.org/x/sys/unix"
)

//go:norace
//go:nosplit
func rawFork() (pid, r2 uintptr, errno syscall.Errno) {
	return syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
}
