// Command child is the run that the crash tests watch. It keeps the ground
// truth: every line in the witness file is one O_APPEND write, so nothing the
// tests kill can take it back.
//
//	child WITNESS work CODE     start a tree, print, exit with CODE
//	child WITNESS read [stubborn]         start a tree, print what is read from stdin
//	child WITNESS member RUN [stubborn]   one process of the tree
//	child WITNESS stranger      says every signal it gets
//	child WITNESS inotify       uses up the user's inotify instances until stdin ends
//	child WITNESS double RUN [stubborn]   starts a member and leaves at once
//
// Witness lines begin with the run's id:
//
//	start PID TICKS · unrecorded FILE · member PID TICKS · printed N · end CODE
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	w := witness{path: os.Args[1], run: os.Getenv("AGENT_RUNS_RUN_ID")}
	switch os.Args[2] {
	case "work":
		w.start("start")
		w.recorded()
		w.tree("")
		w.print(400)
		code, err := strconv.Atoi(os.Args[3])
		must(err)
		w.say("end " + os.Args[3])
		os.Exit(code)
	case "read":
		w.start("start")
		if len(os.Args) > 3 {
			signal.Ignore(syscall.SIGTERM)
		}
		w.recorded()
		w.tree("stubborn")
		w.print(10)
		w.read()
	case "member":
		w.run = os.Args[3]
		w.start("member")
		if len(os.Args) > 4 {
			signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		}
		os.Stdout.Write([]byte{'.'}) // the child waits for this: from here on it is witnessed
		os.Stdout.Close()
		pause()
	case "stranger":
		c := make(chan os.Signal, 64)
		signal.Notify(c)
		w.run = "stranger"
		w.start("start")
		for s := range c {
			if s != syscall.SIGURG { // the runtime's own
				w.say("signalled " + s.String())
			}
		}
	case "inotify":
		for {
			if _, err := syscall.InotifyInit1(syscall.IN_CLOEXEC); err != nil {
				fmt.Println(err)
				break
			}
		}
		io.Copy(io.Discard, os.Stdin)
	case "double":
		c := exec.Command("/proc/self/exe", append([]string{w.path, "member"}, os.Args[3:]...)...)
		c.Env = []string{"NOTHING=1"}
		c.Stdout = os.Stdout
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		must(c.Start())
	}
}

type witness struct{ path, run string }

// start is the first thing a process does.
func (w witness) start(word string) {
	b, err := os.ReadFile("/proc/self/stat")
	must(err)
	ticks := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))[19]
	w.say(word + " " + strconv.Itoa(os.Getpid()) + " " + ticks)
}

func (w witness) say(what string) {
	f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	must(err)
	_, err = f.WriteString(w.run + " " + what + "\n")
	must(err)
	f.Close()
}

// recorded looks whether we may run already (P1).
func (w witness) recorded() {
	for _, name := range []string{"launch.json", "process.json"} {
		if _, err := os.Stat(filepath.Join(os.Getenv("AGENT_RUNS_HOME"), "runs", w.run, name)); err != nil {
			w.say("unrecorded " + name)
		}
	}
}

// tree starts two processes that cut the usual ties: one in its own session,
// one forked twice and without any of our environment. It returns when both
// are witnessed.
func (w witness) tree(how string) {
	for _, role := range []string{"member", "double"} {
		args := []string{w.path, role, w.run}
		if how != "" {
			args = append(args, how)
		}
		r, p, err := os.Pipe()
		must(err)
		c := exec.Command("/proc/self/exe", args...)
		c.Stdout = p
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		must(c.Start())
		p.Close()
		r.Read(make([]byte, 1))
		r.Close()
		if role == "double" {
			c.Wait()
		}
	}
}

// print writes numbered lines. Only what is certainly written is witnessed.
func (w witness) print(n int) {
	for i := 1; i <= n; i++ {
		if _, err := fmt.Fprintf(os.Stdout, "line %d\n", i); err != nil {
			w.say("end 99") // the disk is full: as any program, we leave
			os.Exit(99)
		}
		if i == n/2 || i == n {
			w.say("printed " + strconv.Itoa(i))
		}
	}
}

// read is a transcript of stdin. The end of stdin is written down as well, and
// is not the end of this process.
func (w witness) read() {
	s := bufio.NewScanner(os.Stdin)
	for s.Scan() {
		fmt.Println("got " + s.Text())
	}
	fmt.Println("eof")
	pause()
}

func pause() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGWINCH) // keeps the runtime from calling this a deadlock
	select {}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
}
