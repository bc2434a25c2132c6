package launch

import (
	"os"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// Foster does the work of a shim that died: it waits for the child, clears
// the tree and says what it could see. It writes nothing.
type Foster struct {
	Home    journal.Home
	Process journal.Process
	Orphans *Orphans
	// Ours says that this process started the shim, so that a kernel with
	// subreapers gave the orphans to us. Otherwise they went to init, and what
	// a cgroup does not prove stays unproven.
	Ours  bool
	Grace time.Duration
	Hurry <-chan struct{} // closed: kill now
}

// Run returns when the child has ended and its tree is cleared as far as can
// be. child is a handle opened before the end, or nil.
func (f *Foster) Run(child *Handle) journal.Exit {
	f.Orphans.expect(f.Process.ID, f.Process.Shim.Identity)
	defer f.Orphans.release(f.Process.ID)
	known := f.snapshot(nil)
	if child != nil {
		done := make(chan struct{})
		go func() {
			child.Wait()
			close(done)
		}()
		select {
		case <-done:
		case <-f.Hurry:
			known = f.snapshot(known)
			child.Signal(unix.SIGKILL)
			<-done
		}
	}
	e, at := f.exit(child)
	f.neverRan(&e)
	e.Leftovers, e.Tree = f.clear(known)
	f.remove(&e)
	e.Version, e.ID, e.PID, e.At = journal.Version, f.Process.ID, f.Process.PID, at.UTC()
	return e
}

// neverRan turns the end of a child that did not come past its gate, because
// its shim died first, into what it is: no end of the program at all.
func (f *Foster) neverRan(e *journal.Exit) {
	if _, err := os.Lstat(f.Home.File(f.Process.ID, journal.NeverRanFile)); err == nil {
		e.Code, e.Signal, e.SignalName, e.CoreDumped = nil, nil, "", false
		e.LaunchError = &journal.LaunchError{Stage: "gate", Message: "its shim died before the program was executed"}
	}
}

// snapshot adds what can be seen of the tree to what was known. A process
// that was once seen below the child is a member for as long as it lives,
// wherever its parents went.
func (f *Foster) snapshot(known map[memberKey]stat) map[memberKey]stat {
	if known == nil {
		known = map[memberKey]stat{}
	}
	for _, st := range f.visible() {
		known[memberKey{st.pid, st.start}] = st
	}
	return known
}

// clear ends what is left. The child itself is gone by now.
func (f *Foster) clear(known map[memberKey]stat) ([]journal.Leftover, string) {
	live := func() []stat {
		f.snapshot(known)
		var list []stat
		for key, st := range known {
			now, err := readStat(key.pid)
			if err != nil || now.start != key.start || !now.live() || key.pid == f.Process.PID {
				delete(known, key)
				continue
			}
			list = append(list, st)
			for _, d := range descendants(key.pid) {
				known[memberKey{d.pid, d.start}] = d
			}
		}
		return list
	}
	c := clearing{list: live, changed: f.changed, hurry: f.Hurry,
		empty: func() bool { return quiet(live) }}
	f.askKernel(&c, live)
	left, gone := c.run(f.Grace)
	suspects := f.suspects()
	for _, st := range suspects {
		left = append(left, journal.Leftover{PID: st.pid, StartTicks: st.start, Name: st.name})
	}
	if left == nil {
		left = []journal.Leftover{}
	}
	if gone && len(suspects) == 0 && f.provable() {
		return left, journal.TreeEmpty
	}
	return left, journal.TreeUnproven
}

// changed tells of an end among the orphans. Those that went to init are
// looked at again instead, but only while they are being ended.
func (f *Foster) changed() <-chan struct{} {
	if f.Ours {
		return f.Orphans.changed()
	}
	return lookAgain()
}

// Gone returns the exit of a child that ended while nobody of ours was there.
func Gone(p journal.Process) journal.Exit {
	e := journal.Exit{Version: journal.Version, ID: p.ID, PID: p.PID, At: time.Now().UTC(), Observed: journal.ObservedIdentityGone, Tree: journal.TreeUnproven, Leftovers: []journal.Leftover{}}
	if boot, err := BootID(); err == nil && boot != p.Identity.BootID {
		// Nothing survives a restart of the machine: that is proof enough.
		e.Observed, e.Tree = journal.ObservedHostRestarted, journal.TreeEmpty
	}
	return e
}
