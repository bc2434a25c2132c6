package launch

import (
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// exit finds the status: from our own wait, else from the pidfd, else it is
// unknown and says so.
func (f *Foster) exit(child *Handle) (journal.Exit, time.Time) {
	id := f.Process.Identity
	deadline := time.After(5 * time.Second)
	for {
		end, ok, more := f.Orphans.endOf(id)
		if ok {
			e := ExitOf(end.status)
			e.Observed = journal.ObservedWaited
			e.Rusage = rusageOf(end.usage)
			return e, end.at
		}
		if ws, ok := f.asStranger(child); ok {
			e := ExitOf(ws)
			e.Observed = journal.ObservedPidfd
			return e, time.Now()
		}
		if child == nil && !f.Ours {
			break
		}
		select {
		case <-more:
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			return journal.Exit{Observed: journal.ObservedIdentityGone}, time.Now()
		}
	}
	return journal.Exit{Observed: journal.ObservedIdentityGone}, time.Now()
}

// asStranger reads how a child of somebody else ended: from the zombie until
// its parent has read it, and from Linux 6.15 on from the pidfd afterwards.
func (f *Foster) asStranger(child *Handle) (ws syscall.WaitStatus, ok bool) {
	if f.Ours {
		return 0, false // we wait for it ourselves, and learn more that way
	}
	if ws, ok = zombieStatus(f.Process.Identity); !ok && child != nil {
		ws, ok = child.ExitStatus()
	}
	return ws, ok
}

func (f *Foster) visible() []stat {
	var list []stat
	if f.Ours {
		list, _ = f.Orphans.of(f.Process.ID)
	} else if alive, _ := Alive(f.Process.Identity); alive {
		list = descendants(f.Process.PID)
	}
	return append(list, vouched(&f.Process)...)
}

// provable says whether an empty tree can be told for certain.
func (f *Foster) provable() bool { return f.Ours || f.Process.Cgroup != "" }

// askKernel takes the cgroup's word for the whole where there is one. There is
// none otherwise, since other runs' shims are children of ours too.
func (f *Foster) askKernel(c *clearing, live func() []stat) {
	if f.Process.Cgroup == "" {
		return
	}
	cg := &Cgroup{f.Process.Cgroup}
	c.killAll = func() { cg.Kill() }
	c.empty = func() bool {
		e, err := cg.Empty()
		return err == nil && e && len(live()) == 0
	}
}

// remove ends the cgroup and keeps what it counted.
func (f *Foster) remove(e *journal.Exit) {
	if f.Process.Cgroup != "" {
		cg := &Cgroup{f.Process.Cgroup}
		cg.tell(e)
		cg.Remove()
	}
}

// suspects lists live processes that may be of this run and that nobody can
// vouch for. They are named and not touched.
func (f *Foster) suspects() []stat {
	if f.Process.Cgroup != "" {
		return nil
	}
	if f.Ours {
		_, strays := f.Orphans.of(f.Process.ID)
		return strays
	}
	return Suspects(f.Process.ID)
}

// Suspects lists live processes that carry the run's mark.
func Suspects(id string) []stat {
	var list []stat
	for _, st := range allProcesses() {
		if st.live() && markOf(st.pid) == id {
			list = append(list, st)
		}
	}
	return list
}
