// Command fakeagent plays a coding agent in every protocol that agent-runs
// speaks, by a script in the prompt. Which one it plays is told by its
// arguments, as a real one is told. It starts the commands of its tools in
// sessions of their own, as the real ones do (measured for all of them).
//
//	[[tool:SECONDS]]  a tool that takes a while
//	[[bash:COMMAND]]  a tool that runs a command
//	[[ask]]           asks for a permission first; the answer is in the final text
//	[[steps:N]]       N calls of the model, each with a small tool
//	[[fail]]          the turn fails
//	[[hang]]          says nothing more, for ever
//	[[linger]]        does not leave when its stdin ends
//	[[stubborn]]      nor upon TERM
//	[[two]]           begins another turn by itself after the answer
//	[[die:CODE]]      leaves in mid-turn
//	[[big:BYTES]]     a tool with a result of one long line
//
// The final text tells what reached it: users=N (messages of the session),
// last=…, tool=…, steers=a|b, answer=….
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
)

// protocol turns lines into calls of the engine.
type protocol interface {
	voice
	hear(line []byte)
}

func main() {
	if slices.Contains(os.Args, "--version") {
		fmt.Println("1.6.0 (fake)")
		return
	}
	e := &engine{answers: make(chan bool, 1)}
	p := play(e)
	if p == nil {
		fmt.Fprintln(os.Stderr, "fakeagent: what shall I play?", os.Args[1:])
		os.Exit(2)
	}
	e.voice = p
	var stubborn atomic.Bool
	e.stubborn = &stubborn
	terms := make(chan os.Signal, 1)
	signal.Notify(terms, syscall.SIGTERM)
	go func() {
		for range terms {
			if !stubborn.Load() {
				e.abort()
				os.Exit(143)
			}
		}
	}()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err == nil {
			p.hear(line)
			continue
		}
		if err != io.EOF {
			fmt.Fprintln(os.Stderr, "fakeagent:", err)
			os.Exit(1)
		}
		break
	}
	if e.lingers() {
		select {}
	}
	e.abort()
	os.Exit(0)
}

// play chooses the protocol by the arguments of the real program.
func play(e *engine) protocol {
	args := os.Args[1:]
	has := func(words ...string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(args, w) })
	}
	switch {
	case has("--mode", "rpc"):
		return newPi(e, args)
	case has("--input-format", "stream-json"):
		return newClaude(e, args)
	case has("app-server"):
		return newCodex(e)
	case has("--acp"), has("acp"):
		return newACP(e)
	}
	return nil
}

// flagOf returns the value after the first of the names.
func flagOf(args []string, names ...string) string {
	for i, a := range args {
		for _, n := range names {
			if a == n && i+1 < len(args) {
				return args[i+1]
			}
			if v, ok := strings.CutPrefix(a, n+"="); ok {
				return v
			}
		}
	}
	return ""
}
