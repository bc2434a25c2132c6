//go:build linux

package crash

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
)

// crowd is how many come at once.
const crowd = 100

// TestHundredStartersOneSupervisor has a hundred command lines find a cold
// home at the same time: one supervisor comes, and every run completes.
func TestHundredStartersOneSupervisor(t *testing.T) {
	p := newPlace(t)
	calls := make([]*call, crowd)
	for i := range calls {
		calls[i] = p.delegate([]string{"--wait"}, "true")
	}
	for _, c := range calls {
		if code := c.wait(); code != 0 {
			t.Errorf("exit code %d: %s", code, c.err.String())
		}
		c.id()
	}
	if n := len(p.truth.Acknowledged); n != crowd {
		t.Errorf("%d ids were printed", n)
	}
	until(t, "every command is complete", func() bool { return p.open() == 0 })
	for _, id := range p.runIDs() {
		var r journal.Result
		if err := journal.Read(p.home.File(id, journal.ResultFile), &r); err != nil || r.Status != journal.StatusCompleted {
			t.Errorf("run %s: %v, %v", id, r.Status, err)
		}
	}
	if n := len(p.withRole("supervisor")); n != 1 {
		t.Errorf("%d supervisors are there", n)
	}
	p.judge()
}

// TestSupervisorsWithoutTheLockRefuse starts a hundred supervisors directly,
// none of which was handed the held lock.
func TestSupervisorsWithoutTheLockRefuse(t *testing.T) {
	for _, test := range []struct {
		name string
		lock func(*place) *os.File // what descriptor 3 is
	}{
		{"nothing", func(p *place) *os.File { return nil }},
		{"not held", func(p *place) *os.File { return p.openFile(p.home.SupervisorLock()) }},
		{"not a lock", func(p *place) *os.File { return p.openFile("/dev/null") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlace(t)
			p.ordinary()
			p.leave().wait()
			var wg sync.WaitGroup
			for range crowd {
				wg.Go(func() { p.refused(test.lock(p)) })
			}
			wg.Wait()
			if n := len(p.processes()); n != 0 {
				t.Errorf("%d processes stayed", n)
			}
			p.ordinary()
		})
	}
}

// refused starts one supervisor with this as its lock.
func (p *place) refused(lock *os.File) {
	c := exec.Command(program("delegate"), "__supervisor", p.home.Dir)
	c.Env, c.Dir = p.env, "/"
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if lock != nil {
		defer lock.Close()
		c.ExtraFiles = []*os.File{lock}
	}
	out, err := c.CombinedOutput()
	if c.ProcessState == nil || c.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "handed over") {
		p.t.Errorf("a supervisor without the lock: %v: %s", err, out)
	}
}

func (p *place) openFile(path string) *os.File {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		p.t.Error(err)
	}
	return f
}
