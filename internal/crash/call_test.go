//go:build linux

package crash

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// call is one command line under way.
type call struct {
	p    *place
	cmd  *exec.Cmd
	out  bytes.Buffer
	err  bytes.Buffer
	over chan struct{}

	began time.Time
	took  time.Duration // once it is over
}

// start runs a program in the place's environment.
func (p *place) start(path string, args ...string) *call {
	p.t.Helper()
	c := &call{p: p, cmd: exec.Command(path, args...), over: make(chan struct{}), began: time.Now()}
	c.cmd.Env = p.env
	c.cmd.Dir = p.dir
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.err
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: p.user}
	// What it starts must not be able to hold up the call by its pipes.
	c.cmd.WaitDelay = time.Second
	if err := c.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	p.calls = append(p.calls, c)
	p.mu.Unlock()
	go func() {
		c.cmd.Wait()
		c.took = time.Since(c.began)
		close(c.over)
	}()
	return c
}

func (c *call) running() bool {
	select {
	case <-c.over:
		return false
	default:
		return true
	}
}

// wait returns the exit code, -1 for a death by signal.
func (c *call) wait() int {
	c.p.t.Helper()
	select {
	case <-c.over:
	case <-time.After(patience):
		c.cmd.Process.Signal(syscall.SIGQUIT) // the Go runtime tells where it stands
		<-c.over
		c.p.t.Fatalf("%v does not end: %s", c.cmd.Args, c.err.String())
	}
	return c.cmd.ProcessState.ExitCode()
}

var ulid = regexp.MustCompile(`(?m)^(?:run )?([0-9A-HJKMNP-TV-Z]{26})$`)

// id returns the run id that was printed, which acknowledges the run.
func (c *call) id() (id string) {
	if m := ulid.FindStringSubmatch(c.out.String() + "\n" + c.err.String()); m != nil {
		id = m[1]
	}
	if id != "" {
		c.p.mu.Lock()
		c.p.acknowledge(journal.Command{ID: id, Action: journal.ActionRun})
		c.p.mu.Unlock()
	}
	return id
}

// delegate starts a run. Its --stdin and --grace come with extra.
func (p *place) delegate(extra []string, argv ...string) *call {
	p.t.Helper()
	args := append([]string{"-q"}, extra...)
	return p.start(program("delegate"), append(append(args, "--"), argv...)...)
}

// child is the command line of the witness in one of its roles.
func (p *place) child(role ...string) []string {
	return append([]string{program("child"), p.witness}, role...)
}

// reader starts a run that goes on until it is stopped, and returns its id.
func (p *place) reader() string { return p.reading() }

// stubborn is a reader that ignores TERM.
func (p *place) stubborn() string { return p.reading("stubborn") }

func (p *place) reading(how ...string) string {
	p.t.Helper()
	c := p.delegate([]string{"--stdin", "open", "--grace", "200ms"}, p.child(append([]string{"read"}, how...)...)...)
	if code := c.wait(); code != 0 {
		p.t.Fatalf("delegate: exit code %d: %s", code, c.err.String())
	}
	id := c.id()
	until(p.t, "the child has printed", func() bool {
		out, _ := os.ReadFile(p.home.File(id, journal.StdoutFile))
		return strings.Contains(string(out), "line 10\n")
	})
	return id
}

// ordinary is a command such as anybody may give at any time. It must work.
func (p *place) ordinary() {
	p.t.Helper()
	c := p.delegate([]string{"--wait"}, "true")
	if code := c.wait(); code != 0 {
		p.t.Errorf("an ordinary command does not work any more: exit code %d: %s", code, c.err.String())
	}
	c.id()
}

// runs starts an agent-runs command.
func (p *place) runs(args ...string) *call {
	p.t.Helper()
	return p.start(program("agent-runs"), args...)
}

func (p *place) stop(id string) *call {
	p.t.Helper()
	p.truth.Stopped[id] = true
	return p.runs("stop", id)
}

// leave asks the supervisor that is there now to go.
func (p *place) leave() *call {
	p.t.Helper()
	return p.runs("supervisor", "stop")
}
