package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// maxAttempts bounds how often a launch is tried of which nothing was
// recorded, so of which nothing can have run.
const maxAttempts = 5

// attempt brings the run to where a supervisor can go on: a new run is given
// to a shim, an old one is found as it is. So recovery is not a second way of
// starting but the same one.
//
//	lock held,  process.json   a shim is at work: watch it
//	lock held,  none           a shim is between fork and record: await either
//	lock free,  exit.json      it is over
//	lock free,  process.json   its shim died: never start it again (P2)
//	lock free,  none           nothing can have run: start it
func (r *run) attempt(n int) {
	r.s.slots <- struct{}{}
	defer func() { <-r.s.slots }()
	if n > 0 {
		time.Sleep(time.Duration(n*n) * 20 * time.Millisecond)
	}
	lock, p, err := r.foundInsisting()
	switch {
	case err != nil:
		if lock != nil {
			lock.Close()
		}
		r.post(r.unreadable(err))
	case lock == nil:
		r.post(note{event: EvStarted, process: p, adopted: true})
	case r.exited():
		lock.Close()
		r.post(note{event: EvExit})
	case p != nil:
		lock.Close()
		r.post(note{event: EvShimLost, process: p, adopted: true})
	default:
		shim, news := r.hand(lock, n)
		r.post(r.outcome(shim, news, n))
	}
}

// foundInsisting is found, again and again while this process lacks what it
// needs to look, such as a descriptor: that must not be taken for an end of
// the run. Its only error is a damaged process record, with the lock.
func (r *run) foundInsisting() (*os.File, *journal.Process, error) {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		lock, p, err := r.found()
		if err == nil || lock != nil && journal.IsDamaged(err) {
			return lock, p, err
		}
		if lock != nil {
			lock.Close()
		}
		if _, gone := os.Stat(r.s.home.Run(r.id)); errors.Is(gone, os.ErrNotExist) {
			return nil, nil, &journal.DamagedError{Path: r.s.home.Run(r.id), Reason: "the run was removed"}
		}
		r.s.log.Printf("run %s: %v", r.id, err)
		time.Sleep(pause)
	}
}

// unreadable is the news of a run whose shim is gone and whose process record
// cannot be read. Its exit record tells the end; without one all that is left
// is to clear what still bears its name.
func (r *run) unreadable(err error) note {
	if r.exited() {
		return note{event: EvExit}
	}
	if _, gone := os.Stat(r.s.home.Run(r.id)); gone != nil {
		return note{event: EvExit, failure: err.Error()}
	}
	return note{event: EvShimLost, process: &journal.Process{Version: journal.Version, ID: r.id, Cgroup: launch.CgroupOf(r.id)}, adopted: true}
}

// found takes the run's lock, or returns the process record of a shim that
// holds it.
func (r *run) found() (*os.File, *journal.Process, error) {
	for {
		lock, err := launch.TryLock(r.s.home.File(r.id, journal.LockFile))
		p, perr := r.readProcess()
		if err == nil {
			return lock, p, perr
		}
		if errors.Is(err, launch.ErrLocked) && journal.IsDamaged(perr) {
			// A shim is at work and the record of its child cannot be read.
			// Nobody can be signalled; its exit record will tell the end.
			lock, err = launch.AwaitLock(r.s.home.File(r.id, journal.LockFile))
			return lock, nil, err
		}
		if !errors.Is(err, launch.ErrLocked) || perr != nil || p != nil {
			return nil, p, errors.Join(ignoreLocked(err), perr)
		}
		if err := r.awaitShim(); err != nil {
			return nil, nil, err
		}
	}
}

func ignoreLocked(err error) error {
	if errors.Is(err, launch.ErrLocked) {
		return nil
	}
	return err
}

// awaitShim returns when a shim that holds the lock has recorded its child or
// let the lock go.
func (r *run) awaitShim() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	free := make(chan struct{})
	go func() {
		if lock, err := launch.AwaitLock(r.s.home.File(r.id, journal.LockFile)); err == nil {
			lock.Close()
		}
		close(free)
		cancel()
	}()
	err := ipc.AwaitChange(ctx, func() (bool, error) {
		p, err := r.readProcess()
		return p != nil, err
	}, r.s.home.Run(r.id))
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (r *run) readProcess() (*journal.Process, error) {
	var p journal.Process
	err := journal.Read(r.s.home.File(r.id, journal.ProcessFile), &p)
	if errors.Is(err, journal.ErrMissing) {
		return nil, nil
	}
	return &p, err
}

// exited reports whether the end is recorded. What lies there and cannot be
// read says nothing: the run is seen to its end then by whoever can.
func (r *run) exited() bool {
	_, err := journal.ReadExit(r.s.home, r.id)
	return err == nil || !errors.Is(err, journal.ErrMissing) && !journal.IsDamaged(err)
}

// launchNow is a first attempt that meets nothing unusual, up to where it
// would have to wait. It saves a fresh run the way through two goroutines.
func (r *run) launchNow() bool {
	select {
	case r.s.slots <- struct{}{}:
	default:
		return false // its turn has not come
	}
	lock, err := launch.TryLock(r.s.home.File(r.id, journal.LockFile))
	if err == nil {
		if p, err := r.readProcess(); err == nil && p == nil && !r.exited() {
			shim, n := r.hand(lock, 0)
			go func() {
				defer func() { <-r.s.slots }()
				r.post(r.outcome(shim, n, 0))
			}()
			return true
		}
		lock.Close()
	}
	<-r.s.slots
	return false
}

// hand gives the run and its lock to a shim. A nil shim: the note says why.
func (r *run) hand(lock *os.File, attempt int) (*launch.ShimProcess, note) {
	defer lock.Close() // the shim holds it now, or nobody
	if attempt >= maxAttempts {
		return nil, note{event: EvExit, failure: fmt.Sprintf("no shim could start it in %d attempts", attempt)}
	}
	if r.withdrawn() {
		return nil, note{event: EvRetry}
	}
	if r.startedOnce() {
		return nil, r.unreadable(errors.New("its process record is gone"))
	}
	if r.tooLate() {
		// The order reaches the table before the news that nothing was started.
		r.post(note{event: EvStop, stop: r.order(journal.CauseQueueTimeout)})
		return nil, note{event: EvRetry}
	}
	r.takeInputs()
	shim, err := r.assign(lock)
	if err != nil {
		r.s.log.Printf("run %s: %v", r.id, err)
		return nil, note{event: EvRetry}
	}
	failpoint.Hit("run/assigned")
	return shim, note{}
}

// outcome waits for what a shim has to report.
func (r *run) outcome(shim *launch.ShimProcess, n note, attempt int) note {
	if shim == nil {
		return n
	}
	if n = r.reported(shim, attempt); n.process == nil {
		r.s.orphans.Settled(shim.ID)
	}
	if n.event == EvStarted {
		n.shim = shim
	} else {
		shim.Dismiss()
	}
	return n
}

func (r *run) reported(shim *launch.ShimProcess, attempt int) note {
	answered := make(chan struct{})
	go keepGoing(answered, func() { launch.Signal(shim.ID, syscall.SIGCONT) })
	report, err := shim.Report()
	close(answered)
	r.s.shims.refillSoon()
	switch {
	case err != nil:
		return r.shimDied(err)
	case report.Error != "":
		r.s.log.Printf("run %s: not started: %s", r.id, report.Error)
		if attempt+1 >= maxAttempts {
			return note{event: EvExit, failure: report.Error}
		}
		return note{event: EvRetry}
	case report.Failed:
		return note{event: EvExit}
	default:
		// Said here and not by the run's goroutine: somebody waits for it.
		r.event(journal.Event{Type: journal.EventStarted, PID: report.Process.PID})
		r.ring()
		return note{event: EvStarted, process: report.Process, ours: true}
	}
}

// startedOnce asks the story of the run whether it was started before. The
// process record says so, unless somebody deleted it: then it is not started
// again all the same (P2).
func (r *run) startedOnce() bool {
	events, _, err := journal.ReadEvents(r.s.home.File(r.id, journal.EventsFile), 0)
	return err != nil && !errors.Is(err, os.ErrNotExist) || slices.ContainsFunc(events, func(e journal.Event) bool {
		return e.Type == journal.EventStarted || e.Type == journal.EventAdopted
	})
}

// withdrawn asks whether a stop was recorded before anything was started.
func (r *run) withdrawn() bool {
	_, err := os.Lstat(r.s.home.File(r.id, journal.StopFile))
	return err == nil
}

// moreToCome reports whether something may be left to be started when the run
// is over: what waits for its place or for its end, what verifies it.
func (r *run) moreToCome() bool {
	return inLine(r.launch) || r.launch.Verify != nil || r.launch.PartOf != ""
}

// assign finds a shim that takes the run. The spare may have died unnoticed;
// nothing was given to it then.
func (r *run) assign(lock *os.File) (*launch.ShimProcess, error) {
	var err error
	for range 2 {
		var shim *launch.ShimProcess
		if shim, err = r.s.shims.take(r.moreToCome()); err != nil {
			return nil, err
		}
		if err = shim.Assign(launch.Assignment{RunID: r.id, Admission: r.admission}, lock); err == nil {
			return shim, nil
		}
		shim.Dismiss()
	}
	return nil, err
}

// shimDied tells from the records how far a shim came that gave no report.
func (r *run) shimDied(cause error) note {
	r.s.log.Printf("run %s: its shim died while starting it: %v", r.id, cause)
	lock, p, err := r.foundInsisting()
	if lock != nil {
		lock.Close()
	}
	switch {
	case err != nil:
		return r.unreadable(err)
	case r.exited():
		return note{event: EvExit}
	case p == nil:
		return note{event: EvRetry}
	default:
		return note{event: EvShimLost, process: p, ours: true}
	}
}
