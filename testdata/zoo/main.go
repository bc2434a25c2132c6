// Command zoo plays the bad habits that a supervised program may have. The
// scripts in testdata/scripts run it as the child of a run.
//
// What it does is real: it forks, escapes, refuses and dies as programs do.
// What it leaves behind ends by itself after a while (see lifetime), so that
// a failing test does not litter the machine for ever.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
)

// lifetime bounds everything that would otherwise go on for ever.
const lifetime = 2 * time.Minute

// habit is one bad habit: what it takes and what it does. Its value is the
// exit code.
type habit struct {
	args string
	play func(args []string) int
}

func habits() map[string]habit {
	return map[string]habit{
		// how it ends (endings.go)
		"exit":         {"CODE", exit},
		"signal":       {"NUMBER", dieBySignal},
		"sleep":        {"[PIDFILE]", sleep},
		"ignore-term":  {"PIDFILE", ignoreTerm},
		"survive-term": {"PIDFILE CODE", surviveTerm},
		"stop-self":    {"PIDFILE", stopSelf},
		"headless":     {"PIDFILE", headless},
		"exec-other":   {"PROGRAM [ARG...]", execOther},
		// what it leaves behind (escapes.go, forkers_linux.go)
		"escape":      {"nohup|setsid|clone-parent|doublefork|doublefork-env PIDFILE [stay]", escape},
		"hold-stdout": {"PIDFILE", holdStdout},
		"hop":         {"[setsid]", hop},
		"breed":       {"", breed},
		// what it writes (output.go)
		"write-bytes": {"N", writeBytes},
		"one-line":    {"N", oneLine},
		"odd-bytes":   {"", oddBytes},
		// what it does to its surroundings (surroundings.go)
		"chdir":       {"DIR", chdir},
		"rm-cwd":      {"PIDFILE", removeCwd},
		"close-fds":   {"PIDFILE", closeFDs},
		"become-root": {"PIDFILE", becomeRoot},
		// what it takes away from others (hoarders_linux.go)
		"hoard-inotify": {"PIDFILE", hoardInotify},
		"hoard-memory":  {"BYTES [stay]", hoardMemory},
	}
}

func main() {
	runtime.LockOSThread() // main stays on the process's first thread
	if len(os.Args) < 2 {
		os.Exit(usage())
	}
	h, ok := habits()[os.Args[1]]
	if !ok {
		os.Exit(usage())
	}
	os.Exit(h.play(os.Args[2:]))
}

func usage() int {
	for name, h := range habits() {
		fmt.Fprintln(os.Stderr, "zoo", name, h.args)
	}
	return 64
}

// number is the argument at i, which the script got right.
func number(args []string, i int) int {
	n, err := strconv.Atoi(args[i])
	check(err)
	return n
}

// check ends the program on an error that no habit asked for.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "zoo:", err)
		os.Exit(70)
	}
}
