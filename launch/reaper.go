package launch

import (
	"sync/atomic"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// ended is one process that was waited for.
type ended struct {
	status syscall.WaitStatus
	usage  syscall.Rusage
	at     time.Time
}

// reaper waits for every child of this process in one place. In a subreaper
// the children are all that is left of the tree's upper end, so the kernel's
// "no child" (ECHILD) is the proof that the tree is empty: a live descendant
// always has a chain of live parents up to us.
type reaper struct {
	main    chan ended    // the child's end, once
	changed chan struct{} // something ended
	none    atomic.Bool   // ECHILD: nothing is left, and nothing can come any more
}

// reapAll starts waiting. pid is the child; it must exist already.
func reapAll(pid int) *reaper {
	r := &reaper{main: make(chan ended, 1), changed: make(chan struct{}, 1)}
	go r.loop(pid)
	return r
}

func (r *reaper) loop(pid int) {
	for !r.none.Load() {
		e, got := r.wait(0)
		if got == pid {
			e.at = time.Now()
			// Most children leave nothing: then this is known before anybody
			// asks, and no process has to be looked for.
			for more := got; more > 0; {
				_, more = r.wait(syscall.WNOHANG)
			}
			r.main <- e
		}
		poke(r.changed)
	}
}

// wait reads one end, or learns that there is nothing left to end.
func (r *reaper) wait(how int) (e ended, pid int) {
	for {
		pid, err := syscall.Wait4(-1, &e.status, waitAll|how, &e.usage)
		if err == syscall.EINTR {
			continue
		}
		r.none.Store(err != nil)
		return e, pid
	}
}

func rusageOf(u syscall.Rusage) *journal.Rusage {
	return &journal.Rusage{UserMS: u.Utime.Nano() / 1e6, SystemMS: u.Stime.Nano() / 1e6, MaxRSSKB: int64(u.Maxrss) / maxrssUnit}
}
