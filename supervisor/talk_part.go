package supervisor

import (
	"syscall"
	"time"
)

// leave lets an agent go that has nothing more to do.
func (r *run) leave() {
	parting := r.runtime().Parting()
	if parting.EOF {
		r.endTalk()
	}
	if parting.Signal != 0 {
		r.signal(parting.Signal)
		r.signal(syscall.SIGCONT)
	}
}

// endTalk ends the agent's stdin once all that was said is moved.
func (r *run) endTalk() {
	t := r.talking()
	if t == nil {
		return
	}
	t.mu.Lock()
	t.eof = true
	t.mu.Unlock()
	poke(t.feed)
}

// hush tells an agent in its own words to end its turn. The news that it did,
// or had its time to, is EvSilent. False: there is nobody to tell.
func (r *run) hush() bool {
	t := r.talking()
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.clock.quiet = now.Add(min(politeness, r.stopGrace()/2))
	if t.c != nil && t.c.State.Busy() {
		if messages, err := t.c.Talk.Interrupt("stop:"); err == nil {
			if err := t.c.Say(now, messages...); err != nil {
				r.s.log.Printf("run %s: it cannot be told to stop: %v", r.id, err)
			}
		}
	}
	poke(t.feed)
	poke(t.wake)
	return true
}

// term asks the child to end: with TERM, or what the agent's way out is.
func (r *run) term() {
	if r.child == nil {
		return
	}
	sig := syscall.SIGTERM
	if r.launch.Agent != nil {
		if parting := r.runtime().Parting(); parting.Stop != 0 {
			sig = parting.Stop
		}
	}
	r.signal(sig)
	r.signal(syscall.SIGCONT)
	if r.shim != nil {
		r.shim.Signal(syscall.SIGCONT)
	}
}
