package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// patience is how long one answer may take: the slowest is an agent that retries.
const patience = 60 * time.Second

// grace is how long a process may stay after its stdin was closed: Claude Code waits for its background commands.
const grace = 20 * time.Second

// message is one line that was understood.
type message = map[string]any

// talk is the conversation with one process.
type talk struct {
	scene     *scene
	cmd       *exec.Cmd
	stdin     io.WriteCloser
	lines     chan string
	sent, got []string
	seen      []message // per line of got; nil when it was taken or is not JSON
	stderr    bytes.Buffer
	calls     int
	named     bool // JSON-RPC as the standard has it
	ended     string
}

func begin(s *scene, args []string) (*talk, error) {
	t := &talk{scene: s, cmd: exec.Command(s.program, args...), lines: make(chan string, 1000)}
	t.cmd.Env, t.cmd.Dir, t.cmd.Stderr = s.env, s.cwd, &t.stderr
	t.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var err error
	if t.stdin, err = t.cmd.StdinPipe(); err != nil {
		return t, err
	}
	stdout, err := t.cmd.StdoutPipe()
	if err != nil {
		return t, err
	}
	if err := t.cmd.Start(); err != nil {
		return t, err
	}
	go func() {
		defer close(t.lines)
		for r := bufio.NewReader(stdout); ; {
			line, err := r.ReadString('\n')
			if line != "" {
				t.lines <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				return
			}
		}
	}()
	return t, nil
}

// send writes one line.
func (t *talk) send(v any) {
	if t.scene.err != nil {
		return
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.scene.fail("%w", err)
		return
	}
	t.sent = append(t.sent, string(b))
	if _, err := t.stdin.Write(append(b, '\n')); err != nil {
		t.scene.fail("write %s: %w", b, err)
	}
}

// await gives the first line that matches and was not taken before.
func (t *talk) await(what string, match func(m message) bool) message {
	if t.scene.err != nil {
		return nil
	}
	for i, m := range t.seen {
		if m != nil && match(m) {
			t.seen[i] = nil
			return m
		}
	}
	for late := time.After(patience); ; {
		select {
		case line, open := <-t.lines:
			if !open {
				t.scene.fail("ended before %s: %s", what, lastLine(t.stderr.String()))
				return nil
			}
			if m := t.keep(line); m != nil && match(m) {
				t.seen[len(t.seen)-1] = nil
				return m
			}
		case <-late:
			t.scene.fail("no %s within %v", what, patience)
			return nil
		}
	}
}

func (t *talk) keep(line string) message {
	var m message
	if json.Unmarshal([]byte(line), &m) != nil {
		m = nil
	}
	t.got, t.seen = append(t.got, line), append(t.seen, m)
	return m
}

// pause lets a command of a tool get going, where no line says that it has.
func (t *talk) pause(d time.Duration) {
	if t.scene.err == nil {
		time.Sleep(d)
	}
}

// kill ends the process in the middle of whatever it does. Its stdin stays open until it is dead: an agent that sees
// the end of its input first closes its session in good order.
func (t *talk) kill() {
	if t.scene.err == nil {
		_ = t.cmd.Process.Kill() // It may have gone already.
		t.end()
	}
}

// end closes stdin and sees the process out; one that stays is made to go.
func (t *talk) end() {
	if t.cmd == nil || t.cmd.Process == nil || t.ended != "" {
		return
	}
	_ = t.stdin.Close() // It may have gone already.
	how := "ended"
	kill := time.AfterFunc(grace, func() {
		how = "stayed after EOF and was killed"
		_ = syscall.Kill(-t.cmd.Process.Pid, syscall.SIGKILL)
	})
	for line := range t.lines {
		t.keep(line)
	}
	err := t.cmd.Wait()
	kill.Stop()
	var exit *exec.ExitError
	switch {
	case err == nil:
		how += ", exit status 0"
	case errors.As(err, &exit):
		how += ", " + exit.String()
	default:
		t.scene.fail("wait: %w", err)
	}
	if text := lastLine(t.stderr.String()); text != "" {
		how += ", stderr: " + text
	}
	t.ended = how
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	return strings.ToValidUTF8(last[:min(len(last), 160)], "")
}

// field walks into a message; what is not there is nil.
func field(v any, path ...string) any {
	for _, key := range path {
		m, ok := v.(message)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

func str(v any, path ...string) string {
	s, _ := field(v, path...).(string)
	return s
}

// has matches lines where one field has one value.
func has(value string, path ...string) func(message) bool {
	return func(m message) bool { return str(m, path...) == value }
}
