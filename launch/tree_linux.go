package launch

import (
	"os"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// tree is what holds a run's processes together: the shim itself, which is a
// subreaper, and a cgroup where one can be had.
type tree struct {
	cg  *Cgroup
	dir *os.File // the cgroup, open until the child is in it
}

// open makes the run's cgroup where it is wanted and can be had. A run with
// ceilings does not start without.
func (t *tree) open(id string, l *journal.Launch) error {
	want := CeilingsOf(l.Limits)
	if l.Tree == "subreaper" {
		if want.any() {
			return &stageError{"limits", ErrTreeWithout}
		}
		return nil
	}
	cg, err := NewCgroup(id, want)
	if err == nil {
		t.dir, err = os.Open(cg.Dir)
	}
	switch {
	case err != nil && want.any():
		return &stageError{"limits", err}
	case err != nil && l.Tree == "cgroup":
		return &stageError{"cgroup", err}
	}
	if err == nil {
		t.cg = cg
	}
	return nil
}

func (t *tree) close() {
	if t.dir != nil {
		t.dir.Close()
	}
}

// cgroup is what the process record says of it, "" for none.
func (t *tree) cgroup() string {
	if t.cg == nil {
		return ""
	}
	return t.cg.Dir
}

func (t *tree) remove() {
	if t.cg != nil {
		t.cg.Remove()
	}
}

// tell adds to an exit record what the cgroup counted.
func (t *tree) tell(e *journal.Exit) {
	if t.cg != nil {
		t.cg.tell(e)
	}
}

// kill ends the child at once; what it leaves comes to us.
func (t *tree) kill(pid int) {
	if st, err := readStat(pid); err == nil {
		st.signal(unix.SIGKILL)
	}
}

// clear ends what the child left. The tree is empty on the kernel's word only:
// no child is left to wait for, and the cgroup is not populated.
func (s *shim) clear(r *running, now <-chan struct{}, grace time.Duration) ([]journal.Leftover, string) {
	c := clearing{changed: func() <-chan struct{} { return r.reaper.changed }, hurry: now,
		list:  func() []stat { return descendants(os.Getpid()) },
		empty: r.reaper.none.Load,
	}
	if cg := s.tree.cg; cg != nil {
		c.killAll = func() { cg.Kill() }
		c.list = func() []stat { return append(descendants(os.Getpid()), cg.Members()...) }
		c.empty = func() bool {
			e, err := cg.Empty()
			return err == nil && e && r.reaper.none.Load()
		}
	}
	left, proven := c.run(grace)
	if !proven {
		return left, journal.TreeUnproven
	}
	return left, journal.TreeEmpty
}

// vouched lists the members the kernel keeps together for the run, whoever
// their parents are.
func vouched(p *journal.Process) []stat {
	if p.Cgroup == "" {
		return nil
	}
	return (&Cgroup{p.Cgroup}).Members()
}

// rootsOf are the processes below which everything is of the run.
func rootsOf(p *journal.Process) []journal.Identity {
	return []journal.Identity{p.Shim.Identity, p.Identity}
}
