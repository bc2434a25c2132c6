package cli

import (
	"context"
	"errors"
	"sync"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/supervisor"
)

// AwaitRuns waits for done by await, which is asked after every change in the
// records of the runs. Whoever waits for runs needs somebody to record their
// end: should a shim end without having done so, and be it that a person sent
// the supervisor away, one is there from then on.
func AwaitRuns(ctx context.Context, await Awaiter, h journal.Home, done func() (bool, error), ids ...string) error {
	own, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &witness{ctx: own, cancel: cancel, home: h, seen: map[string]bool{}}
	dirs := make([]string, len(ids))
	for i, id := range ids {
		dirs[i] = h.Run(id)
	}
	err := await(own, func() (bool, error) {
		over, err := done()
		if !over && err == nil {
			w.look(ids)
		}
		return over, err
	}, dirs...)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return context.Cause(own)
	}
	return err
}

// witness watches the shims of runs.
type witness struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	home   journal.Home
	seen   map[string]bool // runs whose shims are watched
	keep   sync.Once
}

// look begins to watch the shims of runs that have started since it was last
// called. A run that has not started has nobody to lose.
func (w *witness) look(ids []string) {
	for _, id := range ids {
		if w.seen[id] {
			continue
		}
		var p journal.Process
		err := journal.Read(w.home.File(id, journal.ProcessFile), &p)
		if w.seen[id] = !errors.Is(err, journal.ErrMissing); w.seen[id] {
			go w.watch(id, p, err)
		}
	}
}

// watch returns when the run of a shim that is gone has its end on record, or
// when nobody waits any more.
func (w *witness) watch(id string, p journal.Process, damaged error) {
	if err := w.shimEnds(id, p, damaged); err != nil {
		w.cancel(err)
		return
	}
	if Exited(w.home, id) || Settled(w.home, id) || removed(w.home, id) != nil {
		return // Ended and its like see to the rest
	}
	w.keep.Do(func() {
		never := func() (bool, error) { return false, nil }
		if err := supervisor.Await(w.ctx, w.home, never); w.ctx.Err() == nil {
			w.cancel(err)
		}
	})
}

// shimEnds returns when the shim has ended. Where it cannot be held by its
// identity its lock is waited for.
func (w *witness) shimEnds(id string, p journal.Process, damaged error) error {
	if damaged == nil {
		shim, err := launch.Open(p.Shim.Identity)
		if errors.Is(err, launch.ErrGone) {
			return nil
		}
		if err == nil {
			defer shim.Close()
			return shim.Wait()
		}
	}
	lock, err := launch.AwaitLock(w.home.File(id, journal.LockFile))
	if err != nil {
		return err
	}
	return lock.Close()
}
