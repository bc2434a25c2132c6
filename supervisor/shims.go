package supervisor

import (
	"sync"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// shimPool keeps one shim ready: starting a Go program takes longer than all
// the records of a launch, and this way it is not on the launch's path.
type shimPool struct {
	home    journal.Home
	orphans *launch.Orphans

	mu    sync.Mutex
	spare *launch.ShimProcess
	gone  bool
}

// take returns the spare shim, or a new one. guarded: there is a spare again
// before the run begins. It is who starts another supervisor should this one die
// while no run is at work and some are still to come.
func (p *shimPool) take(guarded bool) (shim *launch.ShimProcess, err error) {
	p.mu.Lock()
	shim, p.spare = p.spare, nil
	p.mu.Unlock()
	if shim == nil {
		shim, err = p.orphans.SpawnShim(p.home)
	}
	if guarded && err == nil {
		p.refill()
	}
	return shim, err
}

// refill starts a spare if there is none. Not having one costs time only.
func (p *shimPool) refill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spare == nil && !p.gone {
		p.spare, _ = p.orphans.SpawnShim(p.home)
	}
}

// refillDelay leaves the processors to the run that just started and to the
// command that waits for it.
const refillDelay = 4 * time.Millisecond

// refillSoon is refill in a moment.
func (p *shimPool) refillSoon() { time.AfterFunc(refillDelay, p.refill) }

// dismiss sends the spare away for good.
func (p *shimPool) dismiss() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	if p.spare != nil {
		p.spare.Dismiss()
		p.spare = nil
	}
}
