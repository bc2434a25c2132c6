//go:build linux

package crash

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// TestPidReuse has strangers bear the pids of a dead child, its dead shim and
// the command line that asked for it. Whatever is done about the run, no
// stranger is signalled (P8).
func TestPidReuse(t *testing.T) {
	p := newPlace(t)
	id := p.reader()
	var r journal.Process
	var l journal.Launch
	if err := journal.Read(p.home.File(id, journal.ProcessFile), &r); err != nil {
		t.Fatal(err)
	}
	if err := journal.Read(p.home.File(id, journal.LaunchFile), &l); err != nil {
		t.Fatal(err)
	}
	p.truth.ShimKilled[id], p.truth.ChildKilled[id] = true, true
	p.killAll()
	p.removeCgroups()

	var strangers []*exec.Cmd
	for _, pid := range []int{r.PID, r.Shim.PID, l.Asker.PID} {
		until(t, "the old process is reaped", func() bool { return !there("/proc/" + strconv.Itoa(pid)) })
		strangers = append(strangers, p.stranger(pid))
	}
	stop := p.stop(id)
	stop.wait() // says what it says: nobody can prove what is gone
	p.ordinary()
	until(t, "the run is settled", func() bool { return p.done(id) })
	p.runs("stop", id).wait()
	p.kill(p.withRole("supervisor"))
	p.ordinary()

	for _, s := range strangers {
		if _, live := statOf(s.Process.Pid); !live {
			t.Errorf("the stranger with pid %d is dead", s.Process.Pid)
		}
	}
	witness, err := os.ReadFile(p.witness)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(witness), "signalled") {
		t.Errorf("a stranger was signalled:\n%s", witness)
	}
	var e journal.Exit
	if err := journal.Read(p.home.File(id, journal.ExitFile), &e); err != nil || e.Code != nil || e.Signal != nil || e.Observed != journal.ObservedIdentityGone {
		t.Errorf("exit %+v, %v", e, err)
	}
}

// stranger starts a process that has this very pid.
func (p *place) stranger(pid int) *exec.Cmd {
	p.t.Helper()
	const last = "/proc/sys/kernel/ns_last_pid"
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if err := os.WriteFile(last, []byte(strconv.Itoa(pid-1)), 0); err != nil {
			p.t.Skipf("SKIPPED, NOT TESTED: forcing a pid needs the right to write %s: %v", last, err)
		}
		c := exec.Command(program("child"), p.witness, "stranger")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		// A helper of the Go runtime's may take the pid first: then we try again.
		if err := c.Start(); err != nil {
			p.t.Fatal(err)
		}
		if c.Process.Pid == pid {
			until(p.t, "the stranger is ready", func() bool {
				b, _ := os.ReadFile(p.witness)
				return strings.Contains(string(b), "stranger start "+strconv.Itoa(pid)+" ")
			})
			return c
		}
		c.Process.Kill()
		c.Wait()
	}
	p.t.Fatalf("no process could be given pid %d", pid)
	return nil
}
