package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// dieBySignal ends as the signal's default action says, without a core. Go's
// runtime handles most signals itself, so the disposition is set by hand.
func dieBySignal(args []string) int {
	n := number(args, 0)
	check(syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}))
	runtime.LockOSThread()
	disposition(n, sigDefault)
	check(syscall.Kill(os.Getpid(), syscall.Signal(n)))
	time.Sleep(time.Second) // the signal may be delivered to another thread
	return 71
}

// Dispositions of rt_sigaction(2).
const (
	sigDefault = 0
	sigIgnore  = 1
)

// disposition sets what becomes of signal n. KILL and STOP cannot be changed
// and need not be.
//
//go:nosplit
func disposition(n int, handler uintptr) {
	action := [4]uintptr{handler} // struct sigaction as the kernel has it
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(n), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
}
