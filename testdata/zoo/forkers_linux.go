package main

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// The forkers fork for real and execute nothing, so that they are as fast as
// forkers are. After a fork only the calling thread exists in the copy: from
// there on they make raw system calls only, and allocate nothing.

// hopPause and breedPause keep the machine usable.
const (
	hopPause   = 100 * time.Microsecond
	breedPause = 500 * time.Microsecond
	broodSize  = 1500
)

// hop forks for ever: each copy forks the next and leaves, so whoever was
// just seen is gone. It ignores TERM. With "setsid" each begins a session of
// its own.
func hop(args []string) int {
	own := len(args) > 0 && args[0] == "setsid"
	prepareForking()
	hopping(own, nanos(hopPause), time.Now().Unix()+int64(lifetime/time.Second))
	return 0
}

// breed forks sleeping children that ignore TERM for as long as it lives.
func breed([]string) int {
	prepareForking()
	breeding(nanos(breedPause), broodSize, nanos(lifetime))
	return sleep(nil)
}

func prepareForking() {
	runtime.LockOSThread()
	for n := 1; n <= 64; n++ {
		disposition(n, sigDefault)
	}
	disposition(int(syscall.SIGTERM), sigIgnore)
	disposition(int(syscall.SIGHUP), sigIgnore)
	disposition(int(syscall.SIGCHLD), sigIgnore) // no zombies
	disposition(int(syscall.SIGURG), sigIgnore)  // the scheduler of a runtime that is gone
}

func nanos(d time.Duration) syscall.Timespec { return syscall.NsecToTimespec(int64(d)) }

//go:nosplit
//go:norace
func hopping(own bool, pause syscall.Timespec, end int64) {
	var now syscall.Timeval
	for now.Sec < end {
		if fork() != 0 {
			leave()
		}
		if own {
			syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
		}
		rest(&pause)
		syscall.RawSyscall(syscall.SYS_GETTIMEOFDAY, uintptr(unsafe.Pointer(&now)), 0, 0)
	}
	leave()
}

//go:nosplit
//go:norace
func breeding(pause syscall.Timespec, brood int, life syscall.Timespec) {
	for i := 0; i < brood; i++ {
		if fork() == 0 {
			rest(&life)
			leave()
		}
		rest(&pause)
	}
}

//go:nosplit
//go:norace
func fork() uintptr {
	pid, _, _ := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	return pid
}

//go:nosplit
//go:norace
func rest(d *syscall.Timespec) {
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(d)), 0, 0)
}

//go:nosplit
//go:norace
func leave() {
	for {
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
}
