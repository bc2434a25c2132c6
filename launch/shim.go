package launch

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/journal"
)

// ShimMain is the shim's life: wait for an assignment, start the child behind
// its gate, record it, wait, clear the tree, record the exit, leave. Where there
// are child subreapers it is one, so every orphan of the tree comes to it.
func ShimMain(home string) int {
	h := journal.Home{Dir: home}
	nameProcess("agent-runs-shim")
	if err := becomeSubreaper(); err != nil {
		return complain("become a subreaper", err)
	}
	hurry := catchSignals()
	if !readable(shimSocket) {
		warmUp()
	}
	syscall.CloseOnExec(shimSocket) // no business of the child's
	task, lock, err := receive(shimSocket)
	if err != nil {
		return complain("receive an assignment", err)
	}
	if task == nil {
		succeed(h)
		return 0
	}
	defer lock.Close()
	s := &shim{home: h, id: task.RunID}
	child, report := s.start(task)
	answer(report)
	s.answered = true
	if child == nil {
		return 0
	}
	go watchSupervisor(h, hurry.supervisorIsBack)
	go s.closeStdin(hurry.endStdin)
	s.finish(child, hurry.now)
	return 0
}

func complain(what string, err error) int {
	fmt.Fprintf(os.Stderr, "agent-runs shim: %s: %v\n", what, err)
	return 1
}

// urgency is what signals tell a shim.
type urgency struct {
	now              chan struct{} // closed by INT: no more grace for anything
	supervisorIsBack chan struct{} // USR1: a supervisor adopted us, watch it again
	endStdin         chan struct{} // USR2: nothing more will be steered to the child
}

func catchSignals() urgency {
	u := urgency{make(chan struct{}), make(chan struct{}, 1), make(chan struct{}, 1)}
	c := make(chan os.Signal, 4)
	signal.Notify(c, SignalHurry, SignalBack, SignalEndStdin)
	// A shim is not ended by the signals people send to names: it would take
	// the child with it. The child gets its own.
	signal.Ignore(syscall.SIGHUP, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE)
	go func() {
		var once sync.Once
		for s := range c {
			switch s {
			case SignalHurry:
				once.Do(func() { close(u.now) })
			case SignalBack:
				poke(u.supervisorIsBack)
			case SignalEndStdin:
				poke(u.endStdin)
			}
		}
	}()
	return u
}

// poke leaves a note for a reader that may be busy; one note is enough.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

type shim struct {
	answered bool // the supervisor has our report and may hear of the end
	home     journal.Home
	id       string
	grace    time.Duration // what the launch gives leftovers between TERM and KILL
	tree     tree          // what this system gives us to hold the run's processes together
	stdin    *os.File      // our write end of the fifo, so that the child sees no end between two writers
	said     *os.File      // of an agent: its position tells supervisors how much was moved into its stdin
}

// running is a child whose program executes.
type running struct {
	pid    int
	reaper *reaper
}

// start brings the child up to its program. A nil child means that it is over:
// either nothing is recorded (Report.Error) or the exit record says why.
func (s *shim) start(task *Assignment) (*running, Report) {
	l, err := journal.ReadLaunch(s.home, s.id)
	if err != nil {
		return nil, Report{Error: err.Error()}
	}
	s.grace = l.Limits.Grace()
	spec, env, err := s.prepare(l)
	if err == nil {
		failpoint.Hit("shim/fork")
		var g *Gated
		g, err = hold(spec, &s.tree)
		spec.close()
		if err == nil {
			failpoint.Hit("shim/gated")
			return s.release(task, g, env)
		}
	}
	s.tree.remove()
	return nil, s.neverStarted(task, err)
}

// release makes the child's identity durable and opens the gate, in this
// order: that is P1.
func (s *shim) release(task *Assignment, g *Gated, envFile string) (*running, Report) {
	p, err := s.record(task, g.PID)
	if err != nil {
		g.Abandon()
		s.tree.remove()
		return nil, Report{Error: err.Error()}
	}
	failpoint.Hit("shim/recorded")
	err = g.Open()
	failpoint.Hit("shim/opened")
	r := &running{g.PID, reapAll(g.PID)}
	os.Remove(envFile)
	if err == nil {
		return r, Report{Process: p}
	}
	<-r.reaper.main
	s.tree.remove()
	s.writeExit(&journal.Exit{PID: g.PID, LaunchError: launchError(err)}, time.Now())
	return nil, Report{Process: p, Failed: true}
}

// finish waits for the child, clears what it left, and records both.
func (s *shim) finish(r *running, now <-chan struct{}) {
	var end ended
	select {
	case end = <-r.reaper.main:
	case <-now:
		s.tree.kill(r.pid)
		end = <-r.reaper.main
	}
	failpoint.Hit("shim/ended")
	left, tree := s.clear(r, now, s.grace)
	failpoint.Hit("shim/cleared")
	e := ExitOf(end.status)
	e.PID, e.Leftovers, e.Observed = r.pid, left, journal.ObservedWaited
	e.Rusage, e.Tree = rusageOf(end.usage), tree
	s.tree.tell(&e)
	if tree == journal.TreeEmpty {
		s.tree.remove()
	}
	s.writeExit(&e, end.at)
	failpoint.Hit("shim/leaving")
}
