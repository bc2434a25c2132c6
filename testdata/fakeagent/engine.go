package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// voice is how what happens is told.
type voice interface {
	turnBegan()
	step(text string) // the model has answered; text may be empty
	toolBegan(id, command string)
	toolEnded(id, output string, failed bool)
	ask(id, command string)
	steered(key string) // a steer is taken in
	compacted()
	ended(outcome, text, failure string)
}

// engine is the agent behind the protocol. One turn at a time.
type engine struct {
	voice    voice
	session  *session
	answers  chan bool
	stubborn *atomic.Bool

	mu      sync.Mutex
	working bool
	stopped chan struct{} // closed: the turn is to end
	tool    *exec.Cmd
	steers  []steer
	linger  bool
	turns   int
}

type steer struct{ key, text string }

var directive = regexp.MustCompile(`\[\[([a-z]+)(?::([^\]]*))?\]\]`)

// prompt begins a turn. False: one is running.
func (e *engine) prompt(text string, taken ...func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.working {
		return false
	}
	e.working, e.stopped, e.steers = true, make(chan struct{}), nil
	e.session.add(text)
	for _, say := range taken { // before anything of the turn
		say()
	}
	go e.turn(text, e.stopped)
	return true
}

// steer puts guidance into the running turn. False: none is running.
func (e *engine) steer(key, text string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.working {
		e.steers = append(e.steers, steer{key, text})
		e.session.add(text)
	}
	return e.working
}

// abort ends the running turn, and its tool with all of its session.
func (e *engine) abort() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.working {
		return
	}
	select {
	case <-e.stopped:
	default:
		close(e.stopped)
	}
	if e.tool != nil && e.tool.Process != nil {
		syscall.Kill(-e.tool.Process.Pid, syscall.SIGKILL)
	}
}

func (e *engine) busy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.working
}

func (e *engine) lingers() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.linger
}

func (e *engine) turn(text string, stopped chan struct{}) {
	e.voice.turnBegan()
	out, answer, again := "", "", false
	outcome, failure := "completed", ""
	for _, d := range directive.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(d[2])
		switch d[1] {
		case "tool":
			out = e.run("sleep " + d[2] + "; echo slept")
		case "bash":
			out = e.run(d[2])
		case "big":
			out = e.told("big", strings.Repeat("x", n))[:min(n, 10)]
		case "steps":
			for range n {
				out = e.told("step", "ok")
			}
		case "ask":
			answer = "DENIED"
			e.voice.step("")
			e.voice.ask("q1", "touch asked")
			select {
			case yes := <-e.answers:
				if yes {
					answer = "ALLOWED"
				}
			case <-stopped:
			}
		case "compact":
			e.voice.compacted()
		case "fail":
			outcome, failure = "failed", "401: the model refused"
		case "hang":
			select {}
		case "linger":
			e.mu.Lock()
			e.linger = true
			e.mu.Unlock()
		case "stubborn":
			e.stubborn.Store(true)
		case "two":
			again = true
		case "die":
			os.Stderr.WriteString("fakeagent: dying as I was told\n")
			os.Exit(n)
		}
		select {
		case <-stopped:
			e.finish("interrupted", func() string { return "" }, "")
			return
		default:
		}
	}
	e.finish(outcome, func() string { return e.final(text, out, answer) }, failure)
	if again {
		time.Sleep(300 * time.Millisecond)
		e.prompt("by itself")
	}
}

// final is the answer, with the steers that came in.
func (e *engine) final(text, out, answer string) string {
	var said []string
	for _, s := range e.steers {
		e.voice.steered(s.key)
		said = append(said, s.text)
	}
	last := strings.TrimSpace(directive.ReplaceAllString(text, ""))
	return fmt.Sprintf("FINAL users=%d last=%s tool=%s steers=%s answer=%s", e.session.count(), last, strings.TrimSpace(out), strings.Join(said, "|"), answer)
}

// finish ends the turn. Nothing can be said to the agent meanwhile: it is
// either in this turn or the beginning of the next.
func (e *engine) finish(outcome string, text func() string, failure string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	final := text()
	if outcome == "completed" {
		e.voice.step(final)
	}
	e.working = false
	e.voice.ended(outcome, final, failure)
}

// run runs a command as real agents do: by a shell, in a session of its own.
func (e *engine) run(command string) string {
	id := e.begin(command)
	e.mu.Lock()
	c := exec.Command("sh", "-c", command)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out strings.Builder
	c.Stdout, c.Stderr = &out, &out
	c.WaitDelay = 100 * time.Millisecond // what it leaves behind may hold its output
	err := c.Start()
	e.tool = c
	e.mu.Unlock()
	if err == nil {
		err = c.Wait()
	}
	e.mu.Lock()
	e.tool = nil
	e.mu.Unlock()
	e.voice.toolEnded(id, out.String(), err != nil)
	return out.String()
}

func (e *engine) told(name, output string) string {
	e.voice.toolEnded(e.begin(name), output, false)
	return output
}

func (e *engine) begin(command string) string {
	e.turns++
	id := "call_" + strconv.Itoa(e.turns)
	e.voice.step("")
	e.voice.toolBegan(id, command)
	return id
}
