package supervisor

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/supervisor/schedule"
)

// linger is how long a supervisor stays when there is nothing to watch, so
// that a next command finds it warm. AGENT_RUNS_LINGER overrides it.
const linger = time.Minute

// maxLaunching bounds the launches under way at once. Runs are not bounded:
// a burst only takes its turn.
const maxLaunching = 16

// Supervisor owns one home.
type Supervisor struct {
	home    journal.Home
	log     *log.Logger
	self    journal.Supervisor
	orphans *launch.Orphans
	shims   *shimPool
	slots   chan struct{} // launches under way

	settled  chan *run
	finished chan string   // commands whose effect is complete
	retry    chan struct{} // look at all commands again

	calls chan func() // what other goroutines have to ask of what is the loop's
	queue *schedule.Queue
	moves schedule.Moves // what the queue has said and nobody has done yet

	runs    map[string]*run            // live runs, by id
	waiters map[string][]chan struct{} // closed when the run is settled
	busy    map[string]bool            // commands admitted here whose effect is not complete

	tails     tails
	announced bool     // supervisor.json tells of us
	learning  bool     // what runs is not yet known
	fresh     []string // commands that are answered as soon as it is
	warned    []string // of the settings
	leaving   bool
	syncing   atomic.Bool // a syncSoon is on its way
}

// Main is the supervisor's life in its own process. dir is the home; the
// held lock is on descriptor launch.SupervisorLockFD.
func Main(dir string) int {
	h := journal.Home{Dir: dir}
	logger := log.New(os.Stderr, fmt.Sprintf("supervisor %d: ", os.Getpid()), log.LstdFlags|log.Lmicroseconds|log.LUTC|log.Lmsgprefix)
	lock, err := inheritedLock(h)
	if err != nil {
		logger.Print(err)
		return 1
	}
	defer lock.Close()
	debug.SetGCPercent(80) // small and long-lived: memory matters more than speed
	s := &Supervisor{home: h, log: logger, settled: make(chan *run, 64), finished: make(chan string, 64), retry: make(chan struct{}, 1),
		slots: make(chan struct{}, maxLaunching), runs: map[string]*run{}, busy: map[string]bool{},
		calls: make(chan func()), queue: schedule.New(0), waiters: map[string][]chan struct{}{}}
	if err := s.serve(); err != nil {
		logger.Print(err)
		return 1
	}
	return 0
}

// inheritedLock checks that the descriptor we were born with really is the
// lock of this home, and that nobody else holds it.
func inheritedLock(h journal.Home) (*os.File, error) {
	f := os.NewFile(launch.SupervisorLockFD, "supervisor.lock")
	if f == nil {
		return nil, errors.New("no lock was handed over")
	}
	have, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("no lock was handed over: %w", err)
	}
	want, err := os.Stat(h.SupervisorLock())
	if err != nil || !os.SameFile(have, want) {
		return nil, fmt.Errorf("the lock handed over is not that of %s", h.Dir)
	}
	syscall.CloseOnExec(launch.SupervisorLockFD)
	if err := launch.OwnLock(f); err != nil {
		return nil, fmt.Errorf("the lock handed over: %w", err)
	}
	return f, nil
}

func (s *Supervisor) serve() error {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM, syscall.SIGINT)
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	var err error
	if s.orphans, err = launch.AdoptOrphans(); err != nil {
		return err
	}
	s.shims = &shimPool{home: s.home, orphans: s.orphans}
	watch, err := ipc.NewWatch(s.home.Commands())
	if err != nil {
		return err
	}
	defer watch.Close()
	rebooted, err := s.introduce(watch.Note)
	if err != nil {
		return err
	}
	s.announce()
	failpoint.Hit("supervisor/announced")
	s.sweep()
	journal.KeepReserve(s.home)
	s.shims.refill()
	s.recover(rebooted)
	return s.loop(watch, term)
}

func (s *Supervisor) loop(watch *ipc.Watch, term <-chan os.Signal) error {
	idle := time.NewTimer(s.linger())
	for {
		if len(s.runs) > 0 || len(s.busy) > 0 {
			idle.Stop()
		} else {
			idle.Reset(s.linger())
		}
		select {
		case e := <-watch.Events:
			s.noticed(watch.Names(e))
		case <-watch.Lost:
			s.takeAll()
		case <-watch.Ticks:
			s.takeAll()
		case r := <-s.settled:
			s.forget(r)
		case id := <-s.finished:
			s.done(id)
		case call := <-s.calls:
			call()
		case <-s.retry:
			if !s.announced {
				s.announce()
			}
			s.takeAll()
		case <-term:
			return s.leave(journal.SupervisorStopped)
		case <-idle.C:
			s.takeAll()
			if len(s.runs) == 0 && len(s.busy) == 0 {
				return s.leave(journal.SupervisorIdle)
			}
		}
		if s.leaving {
			return s.leave(journal.SupervisorStopped)
		}
	}
}

func (s *Supervisor) linger() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("AGENT_RUNS_LINGER")); err == nil && d >= 0 {
		return d
	}
	return linger
}

// forget is called when a run is settled and nothing of it is left to watch.
func (s *Supervisor) forget(r *run) {
	delete(s.runs, r.id)
	r.ring() // some may have joined those who wait after the result was told
	for _, id := range r.commands {
		s.done(id)
	}
	s.leftPlan(r)
	s.tellEnd(r.id, r.result != nil && r.result.Status == journal.StatusCompleted)
	s.schedule()
	journal.KeepReserve(s.home)
}

// done completes a command.
func (s *Supervisor) done(id string) {
	failpoint.Hit("command/done")
	if err := ipc.Done(s.home, id); err != nil {
		s.log.Printf("command %s: %v", id, err)
	}
	delete(s.busy, id)
}

// complete is done for other goroutines.
func (s *Supervisor) complete(id string) { s.finished <- id }

// syncDelay gathers the syncing of many answers into one.
const syncDelay = 100 * time.Millisecond

// syncSoon makes the names of commands and admissions durable in a moment.
func (s *Supervisor) syncSoon() {
	if s.syncing.CompareAndSwap(false, true) {
		time.AfterFunc(syncDelay, func() {
			s.syncing.Store(false)
			for _, d := range []string{s.home.Admissions(), s.home.Commands()} {
				if err := journal.SyncDir(d); err != nil {
					s.log.Printf("sync %s: %v", d, err)
				}
			}
		})
	}
}

// later looks at all commands again after a while: something, most likely
// the disk, did not let us answer now.
func (s *Supervisor) later() {
	time.AfterFunc(time.Second, func() {
		select {
		case s.retry <- struct{}{}:
		default:
		}
	})
}

func (s *Supervisor) event(e journal.Event) {
	e.At = time.Now().UTC()
	if err := journal.AppendEvent(filepath.Join(s.home.Run(e.RunID), journal.EventsFile), e); err != nil {
		s.log.Printf("event %s of %s: %v", e.Type, e.RunID, err)
	}
}
