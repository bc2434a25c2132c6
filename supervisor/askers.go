package supervisor

import (
	"errors"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// ring tells the process that posted a command that there is news of it.
func ring(asker *journal.Identity) error {
	if asker == nil {
		return launch.ErrGone
	}
	return launch.Signal(*asker, ipc.Ring)
}

// heard adds the asker of a command to those who hear of the run.
func (r *run) heard(asker *journal.Identity) {
	if asker == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.askers = append(r.askers, *asker)
}

// ring tells all who asked something of the run that there is news. Those who
// did not wait for it are forgotten.
func (r *run) ring() {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.askers[:0]
	for _, a := range r.askers {
		if !errors.Is(ring(&a), launch.ErrGone) {
			left = append(left, a)
		}
	}
	r.askers = left
}
