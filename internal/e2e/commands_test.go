package e2e_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

type command = func(ts *testscript.TestScript, neg bool, args []string)

// commands are the words the scripts have besides those of testscript. What
// has to come is polled for, so no script sleeps.
//
//	exits CODE [-in D] PROGRAM [ARG...]  run it; it must exit with CODE, and in time
//	save VAR [PATH]               stdout, or the value at PATH in the JSON there, into a variable
//	read VAR FILE                 the text of a file, once it is there, into a variable
//	[!] json [-f FILE] PATH VALUE the JSON on stdout or in FILE has VALUE at PATH; ~VALUE is a regular expression
//	await FILE [PATH VALUE]       the file is there, and has VALUE at PATH
//	seen FILE PATTERN             the file comes to hold a match of the regular expression
//	settled ID...                 the runs have their verdict
//	alive PID... | gone PID...    processes live, or are gone
//	send SIGNAL WHOM...           WHOM is a PID, supervisor, shim:ID or child:ID; after KILL they are gone
//	newid VAR                     a fresh id
//	drop NAME TEXT                put a file into the command directory
func commands() map[string]command {
	return map[string]command{
		"exits":   word(exits, 2),
		"save":    word(save, 1),
		"read":    word(read, 2),
		"json":    jsonHas,
		"await":   word(await, 1),
		"seen":    word(seen, 2),
		"settled": word(settled, 1),
		"alive":   word(alive, 1),
		"gone":    word(awaitGone, 1),
		"send":    word(send, 2),
		"newid":   word(newID, 1),
		"drop":    word(drop, 2),
	}
}

// word makes a command that takes at least so many arguments and no "!".
func word(run func(*testscript.TestScript, []string), least int) command {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < least {
			ts.Fatalf("it takes %d arguments and no !", least)
		}
		run(ts, args)
	}
}

func exits(ts *testscript.TestScript, args []string) {
	want, args, limit := integer(ts, args[0]), args[1:], patience
	if args[0] == "-in" {
		d, err := time.ParseDuration(args[1])
		ts.Check(err)
		limit, args = d*slowness, args[2:]
	}
	got, began := 0, time.Now()
	if err := ts.Exec(args[0], args[1:]...); err != nil {
		var end *exec.ExitError
		if !errors.As(err, &end) {
			ts.Fatalf("%v", err)
		}
		got = end.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, not %d", got, want)
	}
	if took := time.Since(began); took > limit {
		ts.Fatalf("it took %v", took)
	}
}

func save(ts *testscript.TestScript, args []string) {
	text := strings.TrimSpace(ts.ReadFile("stdout"))
	if len(args) > 1 {
		v, err := lookup([]byte(text), args[1])
		ts.Check(err)
		text = v
	}
	ts.Setenv(args[0], text)
}

func read(ts *testscript.TestScript, args []string) {
	await(ts, args[1:])
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[1])))
}

func jsonHas(ts *testscript.TestScript, neg bool, args []string) {
	file := "stdout"
	if args[0] == "-f" {
		file, args = args[1], args[2:]
	}
	if len(args) != 2 {
		ts.Fatalf("usage: json [-f FILE] PATH VALUE")
	}
	got, err := lookup([]byte(ts.ReadFile(file)), args[0])
	ts.Check(err)
	if same(got, args[1]) == neg {
		ts.Fatalf("%s is %s", args[0], got)
	}
}

func await(ts *testscript.TestScript, args []string) {
	path, state := ts.MkAbs(args[0]), "it is not there"
	ok := eventually(func() bool {
		body, err := os.ReadFile(path)
		if err != nil || len(args) == 1 {
			return err == nil
		}
		state, err = lookup(body, args[1])
		return err == nil && same(state, args[2])
	})
	if !ok {
		ts.Fatalf("waited in vain for %s: %s", args, state)
	}
}

func seen(ts *testscript.TestScript, args []string) {
	path, pattern := ts.MkAbs(args[0]), regexp.MustCompile("(?m)"+args[1])
	ok := eventually(func() bool {
		body, err := os.ReadFile(path)
		return err == nil && pattern.Match(body)
	})
	if !ok {
		ts.Fatalf("%s never came to hold %q", args[0], args[1])
	}
}

func settled(ts *testscript.TestScript, args []string) {
	for _, id := range args {
		await(ts, []string{record(ts, id, "result.json")})
	}
}

func record(ts *testscript.TestScript, id, file string) string {
	return filepath.Join(ts.Getenv("AGENT_RUNS_HOME"), "runs", id, file)
}

func alive(ts *testscript.TestScript, args []string) {
	for _, pid := range args {
		if gone(integer(ts, pid)) {
			ts.Fatalf("%s is gone", pid)
		}
	}
}

func awaitGone(ts *testscript.TestScript, args []string) {
	for _, pid := range args {
		if n := integer(ts, pid); !eventually(func() bool { return gone(n) }) {
			ts.Fatalf("%s is still there", pid)
		}
	}
}

func send(ts *testscript.TestScript, args []string) {
	sig := unix.SignalNum("SIG" + args[0])
	if sig == 0 {
		ts.Fatalf("there is no signal %s", args[0])
	}
	var pids []int
	for _, whom := range args[1:] {
		pids = append(pids, pidOf(ts, whom))
	}
	for _, pid := range pids {
		ts.Check(syscall.Kill(pid, sig))
	}
	if sig == syscall.SIGKILL && !eventually(func() bool { return !slices.ContainsFunc(pids, notGone) }) {
		ts.Fatalf("%v will not die", pids)
	}
}

func notGone(pid int) bool { return !gone(pid) }

// pidOf finds a process by its part: in the records, as a person would.
func pidOf(ts *testscript.TestScript, whom string) int {
	part, id, _ := strings.Cut(whom, ":")
	file, path := record(ts, id, "process.json"), "pid"
	switch part {
	case "supervisor":
		file = filepath.Join(ts.Getenv("AGENT_RUNS_HOME"), "supervisor.json")
	case "shim":
		path = "shim.pid"
	case "child":
	default:
		return integer(ts, whom)
	}
	v, err := lookup([]byte(ts.ReadFile(file)), path)
	ts.Check(err)
	return integer(ts, v)
}

func newID(ts *testscript.TestScript, args []string) {
	ts.Setenv(args[0], ulid.Make().String())
}

// drop puts a whole file there in one step, as everybody should.
func drop(ts *testscript.TestScript, args []string) {
	tmp := filepath.Join(ts.Getenv("WORK"), "dropped")
	ts.Check(os.WriteFile(tmp, []byte(args[1]), 0o600))
	ts.Check(os.Rename(tmp, filepath.Join(ts.Getenv("AGENT_RUNS_HOME"), "commands", args[0])))
}

func integer(ts *testscript.TestScript, s string) int {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		ts.Fatalf("%v", fmt.Errorf("%q is no number: %w", s, err))
	}
	return n
}
