package supervisor

import (
	"errors"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// running takes note of the child and its shim: handles on both, limits armed.
func (r *run) running(n note) {
	if r.process != nil {
		return
	}
	r.process, r.ours, r.admission = n.process, n.ours, nil
	r.mu.Lock()
	r.now = n.process.Token
	r.mu.Unlock()
	// The child's handle first: it must be open before the child ends to tell
	// how it ended, should its shim not live to do so.
	r.child = r.open(n.process.Identity)
	if n.event == EvStarted {
		r.watchShim(n)
	}
	r.armLimits()
	if n.adopted || n.event != EvStarted {
		r.event(journal.Event{Type: journal.EventAdopted, PID: r.process.PID})
		r.ring()
	}
	if r.launch.Agent != nil {
		r.converse()
		return
	}
	r.openStdin()
}

// open returns a handle, or nil if the process is gone. It insists: not
// getting a handle, because this process has no descriptor left, must not be
// taken for an end that nobody saw.
func (r *run) open(id journal.Identity) *launch.Handle {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		h, err := launch.Open(id)
		if err == nil || errors.Is(err, launch.ErrGone) {
			return h
		}
		r.s.log.Printf("run %s: %v", r.id, err)
		time.Sleep(pause)
	}
}

// watchShim waits for the shim's end, which is the end of the run or the
// beginning of our doing its work.
func (r *run) watchShim(n note) {
	r.shim = r.open(n.process.Shim.Identity)
	if r.shim == nil {
		go r.shimEnded()
		return
	}
	if n.adopted {
		r.shim.Signal(launch.SignalBack)
	}
	go r.awaitShimEnd(r.shim, n.shim)
	go r.wakeShim(r.child, r.shim)
}

// lateShim is how long a shim may take for its work without being suspected of
// having been stopped.
const lateShim = 200 * time.Millisecond

// wakeShim continues a shim that was stopped, once there is work for it.
func (r *run) wakeShim(child, shim *launch.Handle) {
	if child == nil || child.Wait() == nil {
		keepGoing(r.done, func() { shim.Signal(syscall.SIGCONT) })
	}
}

// keepGoing continues a shim until what it has to do is done. Every child
// knows the pid of its parent and may send it SIGSTOP, and so may what it
// leaves behind.
func keepGoing(done <-chan struct{}, proceed func()) {
	t := time.NewTicker(lateShim)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			proceed()
		case <-done:
			return
		}
	}
}

// awaitShimEnd waits for word of the exit record, where the shim is ours to
// send any, else for the shim's end. The latter decides: a socket is closed
// before the kernel has handed the orphans on.
func (r *run) awaitShimEnd(shim *launch.Handle, news *launch.ShimProcess) {
	if news != nil {
		news.Published()
		news.Dismiss()
		if r.exited() {
			r.post(note{event: EvExit})
			return
		}
	}
	if shim.Wait() == nil {
		r.shimEnded()
	}
}

func (r *run) shimEnded() {
	if r.exited() {
		r.post(note{event: EvExit})
	} else {
		r.post(note{event: EvShimLost})
	}
}

// armLimits starts the clocks of the run. They count from its start, whoever
// supervised it meanwhile, and stand still while the machine is suspended: so
// do Go's timers.
func (r *run) armLimits() {
	l := r.launch.Limits
	if l.MaxDurationMS > 0 {
		if age, ok := r.age(); ok {
			r.limits = append(r.limits, time.AfterFunc(ms(l.MaxDurationMS)-age.Awake, func() {
				r.post(note{event: EvStop, stop: r.order(journal.CauseTimeout)})
			}))
		}
	}
	if l.MaxOutputBytes > 0 {
		go r.watchOutput(l.MaxOutputBytes)
	}
}

// age is how long ago the child was started. It has none any more if it is of
// another boot.
func (r *run) age() (launch.Age, bool) {
	age, err := launch.AgeOf(r.process)
	if err != nil && !errors.Is(err, launch.ErrGone) {
		r.s.log.Printf("run %s: %v", r.id, err)
	}
	return age, err == nil
}

// order is a stop that no command asked for.
func (r *run) order(cause string) *journal.Stop {
	return &journal.Stop{Version: journal.Version, ID: r.id, Cause: cause, GraceMS: r.launch.Limits.GraceMS, At: time.Now().UTC()}
}

// adopt does the work of the dead shim, in its own goroutine.
func (r *run) adopt() {
	r.event(journal.Event{Type: journal.EventShimLost, PID: r.process.Shim.PID})
	if r.child == nil {
		r.child = r.open(r.process.Identity) // usually gone by now
	}
	f := launch.Foster{Home: r.s.home, Process: *r.process, Orphans: r.s.orphans, Ours: r.ours, Grace: r.launch.Limits.Grace(), Hurry: r.hurry}
	child := r.child
	go func() {
		var e journal.Exit
		if boot, err := launch.BootID(); err == nil && f.Process.PID != 0 && boot != f.Process.Identity.BootID {
			e = launch.Gone(f.Process)
		} else {
			e = f.Run(child)
		}
		r.s.writeExit(r.id, &e, child != nil)
		r.post(note{event: EvExit})
	}()
}
