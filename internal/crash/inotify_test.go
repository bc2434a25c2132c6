//go:build linux

package crash

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
)

// nobody is a user without processes of its own, so that using up what a user
// may have harms nobody else.
const nobody = 54321

// TestInotifyUsedUp: where the kernel gives no more watches the supervisor
// looks at intervals, says so, and everything works.
func TestInotifyUsedUp(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED, NOT TESTED: using up the inotify instances of a user needs root to be another one")
	}
	p := newPlace(t)
	p.user = &syscall.Credential{Uid: nobody, Gid: nobody}
	for _, dir := range []string{p.dir, bin} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(p.dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	p.useUpInotify()

	id := p.reader()
	var s journal.Supervisor
	if err := journal.Read(p.home.Supervisor(), &s); err != nil || s.Watch != "polling" || s.WatchNote == "" {
		t.Errorf("supervisor.json: watch %q, note %q, %v", s.Watch, s.WatchNote, err)
	}
	doctor := p.runs("doctor")
	doctor.wait()
	if out := doctor.out.String(); !strings.Contains(out, "polling") && !strings.Contains(out, s.WatchNote) {
		t.Errorf("doctor does not say that it polls: %s", out)
	}
	p.truth.Steers = []string{"a word"}
	if c := p.runs("steer", id, "a word"); c.wait() != 0 {
		t.Errorf("steer: %s", c.err.String())
	}
	until(t, "the child has read it", func() bool { return p.printed(id, "got a word\n") })
	waiting := p.runs("wait", id)
	if c := p.stop(id); c.wait() != 0 {
		t.Errorf("stop: %s", c.err.String())
	}
	if code := waiting.wait(); code != 1 {
		t.Errorf("wait: exit code %d: %s", code, waiting.err.String())
	}
	p.kill(p.withRole("supervisor"))
	p.ordinary()
	p.judge()
}

// useUpInotify takes every instance the place's user may have, until the test ends.
func (p *place) useUpInotify() {
	c := exec.Command(program("child"), p.witness, "inotify")
	c.SysProcAttr = &syscall.SysProcAttr{Credential: p.user}
	in, err := c.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		in.Close()
		c.Wait()
	})
	why := make([]byte, 100)
	n, err := out.Read(why)
	if err != nil && err != io.EOF || !strings.Contains(string(why[:n]), "too many open files") {
		p.t.Fatalf("the inotify instances could not be used up: %s %v", why[:n], err)
	}
}
