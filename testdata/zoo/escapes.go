package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// escape starts a sleeper that tries to outlive us in one of the well-known
// ways. It goes on only when the sleeper is away, and then leaves itself,
// unless it is to stay.
func escape(args []string) int {
	how, pidfile := args[0], args[1]
	if how == "middle" {
		// The second half of a double fork: our parent, the escaper, has to
		// see us gone, and the sleeper loses its parent.
		start(sleeper(pidfile))
		return 0
	}
	signal.Ignore(syscall.SIGHUP)
	c := sleeper(pidfile)
	switch how {
	case "nohup":
		c = exec.Command("nohup", append([]string{self()}, c.Args[1:]...)...)
	case "setsid":
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	case "clone-parent":
		// Our own parent becomes the sleeper's as well.
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_PARENT, Setsid: true}
	case "doublefork", "doublefork-env":
		c = exec.Command(self(), "escape", "middle", pidfile)
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	default:
		return usage()
	}
	if how == "doublefork-env" {
		c.Env = []string{} // nothing of ours is left to know it by
	}
	start(c)
	if c.Args[1] == "escape" {
		check(c.Wait())
	}
	await(pidfile)
	if len(args) > 2 && args[2] == "stay" {
		return sleep(nil)
	}
	return 0
}

// sleeper is what escapes.
func sleeper(pidfile string) *exec.Cmd { return exec.Command(self(), "ignore-term", pidfile) }

// start starts c without our stdio.
func start(c *exec.Cmd) {
	c.Stdin, c.Stdout, c.Stderr = nil, nil, nil
	check(c.Start())
}

func self() string {
	path, err := os.Executable()
	check(err)
	return path
}

// await returns when the file is there.
func await(file string) {
	for end := time.Now().Add(lifetime); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
	}
}

// holdStdout leaves a grandchild that keeps our stdout open and goes on
// writing to it: who waits for the end of the stream waits for that one.
func holdStdout(args []string) int {
	c := exec.Command("sh", "-c", `echo still here; echo $$ >"$0.new"; mv "$0.new" "$0"; while :; do sleep 0.05; echo still here; done`, args[0])
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	check(c.Start())
	await(args[0])
	return 3
}
