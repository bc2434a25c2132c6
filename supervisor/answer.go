package supervisor

import (
	"errors"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/journal"
)

func (s *Supervisor) accept(c journal.Command, effect func()) *decision {
	return &decision{command: c, effect: effect, admission: journal.Admission{Version: journal.Version, ID: c.ID, Action: c.Action, RunID: c.RunID, State: journal.Accepted, At: time.Now().UTC()}}
}

func (s *Supervisor) reject(c journal.Command, state, reason string) *decision {
	d := s.accept(c, nil)
	d.admission.State, d.admission.Reason = state, reason
	return d
}

// answer publishes a batch of decisions and then lets them act. From then on
// no kill can undo or repeat them. Their names are synced a little later, off
// the way of what is urgent: a power cut that takes an admission ends every
// run as well, so that admitting its command again finds nothing to act on.
func (s *Supervisor) answer(batch []decision) {
	if len(batch) == 0 {
		return
	}
	b := journal.Batch{StageIn: s.home.Dir}
	var err error
	for _, d := range batch {
		if !d.byShim {
			err = errors.Join(err, b.Add(s.home.Admission(d.admission.ID), d.admission))
		}
		if d.stop != nil {
			err = errors.Join(err, b.Add(s.home.File(d.stop.ID, journal.StopFile), d.stop))
		}
	}
	if err == nil {
		err = b.Publish()
	}
	if err != nil {
		s.unanswered(batch, err)
		return
	}
	s.syncSoon()
	failpoint.Hit("admission/acting")
	for _, d := range batch {
		if d.command.Action == journal.ActionRun && d.admission.State != journal.Accepted {
			s.neverRan(d)
		}
		if !d.byShim {
			ring(d.command.Asker)
		}
		if d.effect != nil {
			d.effect()
		} else {
			s.done(d.command.ID)
		}
	}
}

// neverRan settles a run whose command was refused.
func (s *Supervisor) neverRan(d decision) {
	records, err := journal.LoadRun(s.home, d.command.RunID)
	switch {
	case err == nil && records.Result == nil:
		l := launchOf(records, d.command.Actor)
		s.expect(l)
		err = journal.WriteOnce(s.home.File(l.ID, journal.ResultFile), journal.Result{Version: journal.Version, ID: l.ID,
			Owner: d.command.Actor, Status: journal.StatusFailed, Cause: journal.CauseSpawn, Error: d.admission.Reason, EndedAt: d.admission.At})
		s.deliver(l)
	case err == nil:
		s.delivered(records)
	}
	if err != nil && !errors.Is(err, journal.ErrExists) && !errors.Is(err, os.ErrNotExist) {
		s.log.Printf("run %s: %v", d.command.RunID, err)
	}
	s.tellEnd(d.command.RunID, false)
}

// unanswered gives a batch back: its commands stay and are looked at again.
// An order to stop is obeyed all the same: a full disk must not keep anything
// running, and its admission follows when there is room.
func (s *Supervisor) unanswered(batch []decision, err error) {
	s.log.Printf("%d commands cannot be answered now: %v", len(batch), err)
	for _, d := range batch {
		delete(s.busy, d.command.ID)
		switch {
		case d.stop != nil:
			s.runs[d.stop.ID].post(note{event: EvStop, stop: d.stop, recorded: false})
		case d.command.Action == journal.ActionRun && d.admission.State == journal.Accepted:
			s.unlisted(d.command.RunID)
		}
	}
	s.later()
}
