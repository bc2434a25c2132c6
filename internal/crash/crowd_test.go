//go:build linux

package crash

import (
	"slices"
	"strings"
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

// TestSupervisorsWithoutTheLock starts a hundred supervisors directly. None
// of them was handed the held lock, so there is never more than one, and one
// only where what they have is the lock and nobody holds it.
func TestSupervisorsWithoutTheLock(t *testing.T) {
	for _, test := range []struct {
		name    string
		running int                 // supervisors that are there already
		lock    func(*place) string // what descriptor 3 is
		stay    int                 // how many of the hundred may
	}{
		{"nothing", 0, func(*place) string { return "" }, 0},
		{"not a lock", 0, func(*place) string { return "/dev/null" }, 0},
		{"held by another", 1, func(p *place) string { return p.home.SupervisorLock() }, 0},
		{"held by nobody", 0, func(p *place) string { return p.home.SupervisorLock() }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPlace(t)
			p.ordinary()
			if test.running == 0 {
				p.leave().wait()
			}
			calls := make([]*call, crowd)
			for i := range calls {
				calls[i] = p.supervisorWith(test.lock(p))
			}
			staying := slices.Clone(calls)
			until(t, "the others have refused", func() bool {
				staying = slices.DeleteFunc(staying, func(c *call) bool { return !c.running() })
				return len(staying) == test.stay
			})
			if n := len(p.withRole("supervisor")); n != test.running+test.stay {
				t.Errorf("%d supervisors are there", n)
			}
			for _, c := range calls {
				if !slices.Contains(staying, c) && (c.wait() != 1 || !strings.Contains(c.err.String(), "handed over")) {
					t.Errorf("exit code %d: %s", c.wait(), c.err.String())
				}
			}
			p.ordinary()
			p.judge()
		})
	}
}

// supervisorWith starts one supervisor with this as its lock.
func (p *place) supervisorWith(lock string) *call {
	p.t.Helper()
	if lock == "" {
		return p.start(program("delegate"), "__supervisor", p.home.Dir)
	}
	return p.start("/bin/sh", "-c", `exec "$0" __supervisor "$1" 3<>"$2"`, program("delegate"), p.home.Dir, lock)
}
