package supervisor

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/supervisor/schedule"
)

// The queue belongs to the supervisor's loop. It is not stored: which runs
// wait, which run and what they need is in their records, and is learned anew
// by each supervisor before it starts anything.

// inLine reports whether a run may have to wait.
func inLine(l journal.Launch) bool { return l.Queue || len(l.Needs) > 0 || l.PlanID != "" }

func taskOf(l journal.Launch) schedule.Task {
	return schedule.Task{ID: l.ID, Needs: l.Needs, Slot: l.Queue, Group: l.PlanID}
}

// lineUp puts a run into the queue and returns why it has to wait there, or ""
// where it starts at once or runs already. Nothing is done about it yet:
// schedule does that, when the run's admission is durable.
func (s *Supervisor) lineUp(r *run, started bool) (reason string) {
	if !inLine(r.launch) {
		return ""
	}
	if started || s.held(r.id) {
		s.queue.Run(taskOf(r.launch))
		return ""
	}
	ended := s.ends(r.launch.Needs)
	s.queue.Wait(taskOf(r.launch), ended)
	if !s.learning {
		s.look()
		for i, id := range s.moves.Start {
			if id == r.id {
				s.moves.Start = append(s.moves.Start[:i], s.moves.Start[i+1:]...)
				return ""
			}
		}
	}
	if n := len(r.launch.Needs) - len(ended); n > 0 {
		return fmt.Sprintf("it waits for %d of the %d runs it needs", n, len(r.launch.Needs))
	}
	taken, slots := s.queue.Taken()
	return fmt.Sprintf("%d of %d runs are at work", taken, slots)
}

// ends says which of the needs are over, and whether they completed. One that
// was removed did not.
func (s *Supervisor) ends(needs []string) map[string]bool {
	ended := map[string]bool{}
	for _, id := range needs {
		if s.runs[id] != nil {
			continue
		}
		result, err := journal.ReadResult(s.home, id)
		switch {
		case err == nil:
			ended[id] = result.Status == journal.StatusCompleted
		case !errors.Is(err, journal.ErrMissing) || !s.toCome(id):
			ended[id] = false
		}
	}
	return ended
}

// toCome reports whether a run without a result will get one.
func (s *Supervisor) toCome(id string) bool {
	r, err := journal.LoadRun(s.home, id)
	if err != nil {
		return false
	}
	f := journal.Facts{AtWork: s.held(id)}
	if r.Launch != nil {
		alive, err := launch.Alive(r.Launch.Asker)
		f.AskerAlive = alive || err != nil
	}
	return journal.Derive(r, f).Phase != journal.PhaseTerminal
}

// look asks the queue what has become possible and keeps it for schedule.
func (s *Supervisor) look() {
	if s.queue.Waiting() > 0 {
		s.queue.Slots(s.concurrency())
	}
	m := s.queue.Next()
	s.moves.Start = append(s.moves.Start, m.Start...)
	s.moves.Ready = append(s.moves.Ready, m.Ready...)
	s.moves.Blocked = append(s.moves.Blocked, m.Blocked...)
}

// schedule does what has become possible.
func (s *Supervisor) schedule() {
	if s.learning {
		return
	}
	s.look()
	m := s.moves
	s.moves = schedule.Moves{}
	for _, b := range m.Blocked {
		if r := s.runs[b.ID]; r != nil {
			r.post(note{event: EvBlocked, failure: s.lacks(b.Need)})
		}
	}
	for _, id := range m.Ready {
		if r := s.runs[id]; r != nil {
			s.startClock(r)
		}
	}
	for _, id := range m.Start {
		if r := s.runs[id]; r != nil {
			s.letStart(r)
		}
	}
}

// letStart gives a run its turn, unless its plan has nothing left for it.
func (s *Supervisor) letStart(r *run) {
	if p := s.runs[r.launch.PlanID]; p != nil && p.plan != nil {
		if cause, reason := s.spent(p); cause != "" {
			stop := r.order(cause)
			stop.Reason = reason
			r.post(note{event: EvGiveUp, stop: stop})
			return
		}
	}
	r.post(note{event: EvAdmit})
}

// lacks says in words which need did not complete.
func (s *Supervisor) lacks(need string) string {
	name := need
	if l, err := journal.ReadLaunch(s.home, need); err == nil && l.Task+l.Name != "" {
		name = fmt.Sprintf("%s (run %s)", cmp.Or(l.Task, l.Name), need)
	}
	result, err := journal.ReadResult(s.home, need)
	switch {
	case errors.Is(err, journal.ErrMissing):
		return fmt.Sprintf("it needs %s, which is not there or was lost", name)
	case err != nil:
		return fmt.Sprintf("it needs %s, whose result cannot be read", name)
	case result.Cause != "":
		return fmt.Sprintf("it needs %s, which %s (%s)", name, result.Status, result.Cause)
	default:
		return fmt.Sprintf("it needs %s, which %s", name, result.Status)
	}
}

// startClock bounds how long a run waits that lacks nothing but its turn.
func (s *Supervisor) startClock(r *run) {
	wait := ms(r.launch.Limits.MaxQueueWaitMS)
	if wait <= 0 {
		return
	}
	time.AfterFunc(time.Until(r.waitsSince().Add(wait)), func() {
		r.post(note{event: EvGiveUp, stop: r.order(journal.CauseQueueTimeout)})
	})
}

// waitsSince is since when a run lacks nothing but its turn: its creation, or
// the end of the last of what it needs.
func (r *run) waitsSince() time.Time {
	since := r.launch.CreatedAt
	for _, id := range r.launch.Needs {
		if result, err := journal.ReadResult(r.s.home, id); err == nil && result.EndedAt.After(since) {
			since = result.EndedAt
		}
	}
	return since
}

// tooLate reports whether a run's turn has come after the time it may wait.
func (r *run) tooLate() bool {
	wait := ms(r.launch.Limits.MaxQueueWaitMS)
	return wait > 0 && time.Since(r.waitsSince()) > wait
}

// unlisted takes a run out of the queue whose admission could not be written.
func (s *Supervisor) unlisted(id string) {
	s.queue.Drop(id)
	if r := s.runs[id]; r != nil && r.plan != nil {
		s.disband(r)
	}
	delete(s.runs, id)
}

// tellEnd tells everybody in this process that a run is settled.
func (s *Supervisor) tellEnd(id string, well bool) {
	s.queue.End(id, well)
	for _, over := range s.waiters[id] {
		close(over)
	}
	delete(s.waiters, id)
}

// awaitEnd returns a channel that is closed when a run has its result. It may
// be called by any goroutine but the supervisor's loop.
func (s *Supervisor) awaitEnd(id string) <-chan struct{} {
	over := make(chan struct{})
	s.calls <- func() {
		if _, err := os.Lstat(s.home.File(id, journal.ResultFile)); err == nil && s.runs[id] == nil {
			close(over)
			return
		}
		s.waiters[id] = append(s.waiters[id], over)
	}
	return over
}
