package supervisor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// recover takes up what supervisors before us left undone. A command stays in
// the directory until its effect is complete, so there is no other place to
// look, and the cost is that of the open intents and not of all runs ever.
//
// After a restart of the machine the directory may lack names that were not
// synced yet, so once a boot all runs are looked at.
func (s *Supervisor) recover(rebooted bool) {
	s.learning = true // until all that runs is known, nothing that waits is started
	s.takeAll()
	if rebooted {
		s.recoverUncommanded()
	}
	s.learning = false
	fresh := s.fresh
	s.fresh = nil
	s.take(fresh)
}

// begun reports whether a command asks for a run that was started before it was
// answered: that run is there, and those that wait have to know.
func (s *Supervisor) begun(c journal.Command) bool {
	if c.Action != journal.ActionRun {
		return false
	}
	_, err := os.Lstat(s.home.File(c.RunID, journal.ProcessFile))
	return !errors.Is(err, os.ErrNotExist) || s.held(c.RunID)
}

// recoverUncommanded takes up runs that started and whose command the power
// cut took. Those that never started were never acknowledged.
func (s *Supervisor) recoverUncommanded() {
	ids, err := journal.RunIDs(s.home)
	if err != nil {
		s.log.Printf("runs: %v", err)
	}
	for _, id := range ids {
		if _, err := os.Lstat(s.home.File(id, journal.ResultFile)); err != nil {
			s.uncommanded(id)
		}
	}
}

// uncommanded takes up a run that was started and is not settled, though no
// command names it any more. Nil: there is no such run, or it is over.
func (s *Supervisor) uncommanded(id string) *run {
	if r := s.runs[id]; r != nil {
		return r
	}
	records, err := journal.LoadRun(s.home, id)
	if err != nil || records.Result != nil || records.Terminal() && !s.held(id) || records.Process == nil && records.Exit == nil && len(records.Damaged) == 0 {
		return nil
	}
	r := s.newRun(launchOf(records, ""), id)
	s.runs[id] = r
	s.lineUp(r, true)
	r.begin()
	return r
}

// over reports whether a run whose command is open has its verdict. Where that
// cannot be read the run is seen to its end once more, if it was ever started:
// nothing else says that nothing of it is alive.
func (s *Supervisor) over(r journal.Records) bool {
	switch {
	case r.Result != nil || !r.Terminal():
		return r.Result != nil
	case r.Process != nil || r.Exit != nil || r.Damages(journal.ProcessFile):
		return false
	}
	return !s.held(r.ID)
}

// held reports whether a shim has the run's lock, or that there is no telling.
func (s *Supervisor) held(id string) bool {
	held, err := launch.Held(s.home.File(id, journal.LockFile))
	return held || err != nil
}

// launchOf returns the launch record, or what is left to be known where it
// cannot be read: nothing can be started from that, but what was started is
// seen to its end.
func launchOf(r journal.Records, owner string) journal.Launch {
	if r.Launch != nil {
		return *r.Launch
	}
	return journal.Launch{ID: r.ID, Owner: owner, Limits: journal.Limits{GraceMS: 5000}}
}

// takeUp goes on with a command that has an answer. Where one of the two
// cannot be read the other tells what it was, and the run's own records what
// became of it. False: nothing is left to be done.
func (s *Supervisor) takeUp(id string, c journal.Command, damaged error, answer *journal.Admission, noAnswer error) bool {
	if damaged != nil {
		c = journal.Command{ID: id, RunID: id, Action: journal.ActionRun}
		if answer != nil {
			c.RunID, c.Action = answer.RunID, answer.Action
		}
		s.keepEvidence(id)
	}
	if answer != nil {
		// An answer to another question under the same id is no leave to act.
		same := answer.Action == c.Action && answer.RunID == c.RunID
		return same && answer.State == journal.Accepted && s.resume(c)
	}
	// The answer may have been a refusal. Only a run can be taken up without
	// it: it is started by its own records or not at all.
	s.log.Printf("admission of %s: %v", id, noAnswer)
	return c.Action == journal.ActionRun && s.resume(c)
}

// keepEvidence puts a damaged command where it stays. Its name in the command
// directory is the intent and goes when that is complete.
func (s *Supervisor) keepEvidence(id string) {
	err := os.Link(s.home.Command(id), filepath.Join(s.home.Damaged(), id+".json"))
	if err != nil && !errors.Is(err, os.ErrExist) && !errors.Is(err, os.ErrNotExist) {
		s.log.Printf("command %s: %v", id, err)
	}
}

// resume goes on with a command that was accepted before us. False: nothing
// is left to be done for it.
func (s *Supervisor) resume(c journal.Command) bool {
	switch c.Action {
	case journal.ActionRun:
		records, err := journal.LoadRun(s.home, c.RunID)
		if err != nil || s.over(records) {
			s.delivered(records)
			return false
		}
		r := s.newRun(launchOf(records, c.Actor), c.ID)
		s.runs[r.id], s.busy[c.ID] = r, true
		r.heard(c.Asker)
		s.takeUpRun(r, records)
		return true
	case journal.ActionStop:
		r := s.runs[c.RunID]
		if r == nil {
			return false
		}
		s.busy[c.ID] = true
		r.heard(c.Asker)
		r.commands = append(r.commands, c.ID)
		// Its order is in stop.json, which begin has read. Only an order whose
		// record the crash prevented is given here.
		r.post(note{event: EvStop, stop: r.order(journal.CauseCancelled)})
		return true
	case journal.ActionSteer, journal.ActionPrompt, journal.ActionInterrupt, journal.ActionAnswer:
		if r := s.runs[c.RunID]; r != nil && r.launch.Agent != nil {
			// What was said is listed; what is not listed was never said.
			s.busy[c.ID] = true
			r.heard(c.Asker)
			r.takeOrder(c)
			return true
		}
		// Accepted, and the supervisor died with it. How much reached the child
		// is not known; saying it again could make it act twice (P9).
		if _, err := journal.LoadRun(s.home, c.RunID); err == nil && !s.told(c) {
			s.event(journal.Event{RunID: c.RunID, Type: journal.EventSteerLost, Command: c.ID, Error: "the supervisor died between admission and delivery"})
		}
		return false
	}
	return false
}

// told reports whether the story of the run says already what became of a
// steer command: then it was complete, and somebody only repeats it.
func (s *Supervisor) told(c journal.Command) bool {
	events, _, err := journal.ReadEvents(s.home.File(c.RunID, journal.EventsFile), 0)
	if err != nil {
		s.log.Printf("events of %s: %v", c.RunID, err)
	}
	return slices.ContainsFunc(events, func(e journal.Event) bool {
		return e.Command == c.ID && (e.Type == journal.EventSteered || e.Type == journal.EventSteerLost)
	})
}

// takeUpRun goes on with a run as it is found: a plan with its tasks, one that
// waits in its place, one that was started where it is.
func (s *Supervisor) takeUpRun(r *run, records journal.Records) {
	switch {
	case r.launch.Plan != nil:
		s.gather(r)
		r.plan.begin(records.Stop)
	case s.lineUp(r, records.Process != nil || records.Exit != nil) != "":
		r.live()
	default:
		r.begin()
	}
}
