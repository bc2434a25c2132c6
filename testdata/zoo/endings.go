package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func exit(args []string) int { return number(args, 0) }

// sleep does nothing for as long as it is let.
func sleep(args []string) int {
	if len(args) > 0 {
		here(args[0])
	}
	time.Sleep(lifetime)
	return 0
}

// here writes our pid where the script waits for it. It appears whole.
func here(pidfile string) {
	if pidfile == "" {
		return
	}
	tmp := filepath.Join(filepath.Dir(pidfile), fmt.Sprintf(".pid-%d", os.Getpid()))
	check(os.WriteFile(tmp, fmt.Appendln(nil, os.Getpid()), 0o600))
	check(os.Rename(tmp, pidfile))
}

// ignoreTerm can be ended by KILL only.
func ignoreTerm(args []string) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	return sleep(args)
}

// surviveTerm takes TERM as a request and answers with an exit code.
func surviveTerm(args []string) int {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	here(args[0])
	select {
	case <-term:
	case <-time.After(lifetime):
	}
	fmt.Println("got TERM")
	return number(args, 1)
}

// stopSelf stops as if by Ctrl-Z. TERM reaches it only after CONT.
func stopSelf(args []string) int {
	here(args[0])
	check(syscall.Kill(os.Getpid(), syscall.SIGSTOP))
	fmt.Println("continued")
	return sleep(nil)
}

// execOther becomes another program under the same pid.
func execOther(args []string) int {
	path, err := exec.LookPath(args[0])
	check(err)
	check(syscall.Exec(path, args, os.Environ()))
	return 0
}

// headless ends its first thread and lives on in the others. The process is
// shown as a zombie, but it is none.
func headless(args []string) int {
	go func() {
		for state := ""; state != "Z"; time.Sleep(time.Millisecond) {
			state = ownState()
		}
		here(args[0])
		os.Exit(sleep(nil))
	}()
	syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0) // of this thread, which main was started on
	return 72
}

// ownState is the letter that stands for our state in /proc.
func ownState() string {
	b, err := os.ReadFile("/proc/self/stat")
	check(err)
	return strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))[0]
}
