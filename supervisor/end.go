package supervisor

import (
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// recordStop makes the order durable before anything is done about it. A
// disk that is full does not keep the run alive: the order is carried out
// and remembered here.
func (r *run) recordStop(n note) {
	if !n.recorded {
		err := journal.WriteOnce(r.s.home.File(r.id, journal.StopFile), n.stop)
		if err != nil && !errors.Is(err, journal.ErrExists) {
			r.s.log.Printf("run %s: %v", r.id, err)
		}
	}
	r.event(journal.Event{Type: journal.EventStopping, Cause: n.stop.Cause, Command: n.stop.CommandID})
}

// stopGrace is what is left of the grace of an order that may have been given
// to a supervisor before us. What a later order shortened stays short.
func (r *run) stopGrace() time.Duration {
	if r.stop == nil {
		return r.launch.Limits.Grace() // nobody ordered it: an agent that does not leave
	}
	ends := r.stop.At.Add(time.Duration(r.stop.GraceMS) * time.Millisecond)
	if !r.graceEnds.IsZero() && r.graceEnds.Before(ends) {
		ends = r.graceEnds
	}
	// By the clock on the wall it was given; that may have been set since.
	return min(time.Until(ends), ms(r.stop.GraceMS))
}

// ask is the polite step: TERM, and CONT in case it is stopped. A child is
// asked once: many programs take a second TERM for impatience.
func (r *run) ask() {
	if r.child == nil || r.asked {
		return // not started yet, ended, or asked before its shim died
	}
	r.asked = true
	if r.launch.Agent == nil || !r.hush() {
		r.term()
	}
}

func (r *run) signal(sig syscall.Signal) {
	if r.child == nil {
		return // not started yet, or ended
	}
	switch err := r.child.Signal(sig); {
	case err == nil:
		r.event(journal.Event{Type: journal.EventSignal, Signal: launch.SignalName(sig), PID: r.process.PID})
	case !errors.Is(err, launch.ErrGone):
		r.event(journal.Event{Type: journal.EventSignal, Signal: launch.SignalName(sig), PID: r.process.PID, Error: err.Error()})
	}
}

func (r *run) armGrace(d time.Duration) {
	if r.grace != nil {
		r.grace.Stop()
	}
	r.graceEnds = time.Now().Add(d)
	r.grace = time.AfterFunc(d, func() { r.post(note{event: EvGrace}) })
}

// shorten is what a second order does: it never makes the grace longer.
func (r *run) shorten(n note) {
	d := secondGrace
	if n.graceGiven {
		d = time.Duration(n.stop.GraceMS) * time.Millisecond
	}
	if time.Now().Add(d).Before(r.graceEnds) {
		r.armGrace(d)
	}
}

// force ends the child and tells whoever clears its tree to spare no one.
func (r *run) force() {
	if !r.hurried {
		r.hurried = true
		close(r.hurry)
	}
	r.signal(syscall.SIGKILL)
	if r.shim != nil {
		r.shim.Signal(syscall.SIGCONT)
		r.shim.Signal(launch.SignalHurry)
	}
}

func (r *run) sayUnproven() {
	for _, m := range launch.Members(r.id, r.process) {
		r.event(journal.Event{Type: journal.EventUnproven, PID: m.PID, Error: m.Name + " is still there"})
	}
}

// withdraw settles a run of which nothing was ever started.
func (r *run) withdraw() {
	why := neverStarted
	if r.stop.Reason != "" {
		why += ": " + r.stop.Reason
	}
	r.s.writeResult(r, journal.Result{Status: journal.StatusStopped, Cause: r.stop.Cause, Error: why, EndedAt: time.Now().UTC()})
}

// neverStarted is said of a run that was ended before its start.
const neverStarted = "it was never started"

// block settles a run that lacks what it needs.
func (r *run) block(why string) {
	r.s.writeResult(r, journal.Result{Status: journal.StatusFailed, Cause: journal.CauseBlocked, Error: neverStarted + ": " + why, EndedAt: time.Now().UTC()})
}

// settle writes the verdict.
func (r *run) settle() {
	v := r.judge()
	if v == nil {
		r.ring() // whoever waits finds that there is nothing any more
		return
	}
	if r.launch.Verify != nil && r.stop != nil && (v.Status == journal.StatusCompleted || v.Cause == journal.CauseVerify) {
		v.Status, v.Cause, v.Error = journal.StatusStopped, r.stop.Cause, "it was stopped before its work was verified"
	}
	r.s.writeResult(r, *v)
}

// judge makes the verdict from what was recorded, once. Nil: the records are
// gone.
func (r *run) judge() *journal.Result {
	if r.verdict != nil {
		return r.verdict
	}
	records, err := journal.LoadRun(r.s.home, r.id)
	if err != nil {
		r.s.log.Printf("run %s: %v", r.id, err)
		return nil
	}
	stop := records.Stop
	if stop == nil {
		stop = r.stop
	}
	result := journal.Result{ID: r.id, Status: journal.StatusFailed, Cause: journal.CauseLost, Error: r.failure, EndedAt: time.Now().UTC()}
	switch e := records.Exit; {
	case e != nil:
		result.Status, result.Cause = journal.Judge(stop, *e)
		result.EndedAt = e.At
		if e.LaunchError != nil {
			result.Error = e.LaunchError.Stage + ": " + e.LaunchError.Message
		}
		if result.Cause == journal.CauseMemoryLimit {
			result.Error = "the kernel ended it: it needed more memory than its ceiling allows"
		}
		r.event(journal.Event{Type: journal.EventExited, PID: e.PID})
	case records.Process == nil && len(records.Damaged) == 0 && r.failure != "":
		result.Cause = journal.CauseSpawn
	}
	if result.Status == journal.StatusStopped && stop != nil {
		result.Error = stop.Reason
	}
	if r.launch.Agent != nil && records.Process != nil {
		result = r.agentResult(result)
	}
	r.verdict = &result
	return r.verdict
}

// writeExit and writeResult do not give up while the disk is full: they are
// the last step of what was observed, and nobody else knows it. seen: the end
// was, so that it counts for more than what cannot be read in its place.
func (s *Supervisor) writeExit(id string, e *journal.Exit, seen bool) {
	s.insist(id, func() error {
		if seen {
			return journal.WriteExit(s.home, e)
		}
		return journal.WriteOnce(s.home.File(id, journal.ExitFile), e)
	})
}

func (s *Supervisor) writeResult(r *run, result journal.Result) {
	result.Version, result.ID, result.Owner = journal.Version, r.id, r.launch.Owner
	r.dropEnv() // before the result: after it nobody looks here again
	if r.admission != nil {
		// Its shim would have written the answer, and none came so far. It is
		// there before the result: every command has one.
		s.insist(r.id, func() error { return journal.WriteOnce(s.home.Admission(r.id), r.admission) })
	}
	s.insist(r.id, func() error { return journal.WriteResult(s.home, &result) })
	r.s.deliver(r.launch)
	r.result = &result
	r.event(journal.Event{Type: journal.EventSettled, Status: result.Status, Cause: result.Cause, Error: result.Error})
	r.ring()
}

func (s *Supervisor) insist(id string, write func() error) {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := write()
		if err == nil || errors.Is(err, journal.ErrExists) {
			return
		}
		if _, gone := os.Stat(s.home.Run(id)); errors.Is(gone, os.ErrNotExist) {
			return
		}
		s.log.Printf("run %s: %v", id, err)
		time.Sleep(pause)
	}
}

// dropEnv removes the environments that wait for a child or a check.
func (r *run) dropEnv() {
	if r.launch.EnvFile != "" {
		os.Remove(r.launch.EnvFile)
	}
	if v := r.launch.Verify; v != nil && v.EnvFile != "" {
		os.Remove(v.EnvFile)
	}
}
