package supervisor

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
)

// decision is the answer to a command and what follows from it. The effect
// runs only after the admission is durable.
type decision struct {
	command   journal.Command
	admission journal.Admission
	// byShim: the run starts at once, and its shim makes the admission durable
	// together with the process record, before anything of the run executes.
	byShim bool
	stop   *journal.Stop // durable together with the admission
	effect func()        // nil: the command is complete with its answer
}

// maxGrace bounds what a stop may ask for.
const maxGrace = 366 * 24 * time.Hour

// batchSize bounds how many answers share one wait for the disk.
const batchSize = 64

// noticed looks at what has changed in the command directory.
func (s *Supervisor) noticed(names []string) {
	var ids []string
	for _, name := range names {
		if id, ok := ipc.CommandID(name); ok {
			ids = append(ids, id)
		} else {
			s.strange(name)
		}
	}
	slices.Sort(ids)
	s.take(ids)
}

// takeAll looks at the whole command directory: at the start, when the kernel
// dropped events, and before leaving.
func (s *Supervisor) takeAll() {
	ids, strange, err := ipc.Pending(s.home)
	if err != nil {
		s.log.Printf("commands: %v", err)
		s.later()
	}
	for _, name := range strange {
		s.strange(name)
	}
	s.take(ids)
}

// strange sets aside what cannot be a command. It bears no id to answer to.
func (s *Supervisor) strange(name string) {
	if err := ipc.SetAside(s.home, name); err == nil {
		s.log.Printf("%q is no command; it is kept in %s", name, s.home.Damaged())
	} else if !errors.Is(err, os.ErrNotExist) {
		s.log.Printf("%q is no command: %v", name, err)
	}
}

// take answers the commands with these ids, oldest first.
func (s *Supervisor) take(ids []string) {
	var batch []decision
	for _, id := range ids {
		if s.busy[id] {
			continue
		}
		if d := s.consider(id); d != nil {
			batch = append(batch, *d)
		}
		if len(batch) == batchSize {
			s.answer(batch)
			batch = nil
		}
	}
	s.answer(batch)
	s.schedule()
}

// consider reads one command and decides. Nil: there is nothing to do.
func (s *Supervisor) consider(id string) *decision {
	c, err := ipc.Take(s.home, id)
	if errors.Is(err, journal.ErrMissing) {
		return nil
	}
	if err != nil && !journal.IsDamaged(err) {
		s.log.Printf("command %s: %v", id, err)
		s.later()
		return nil
	}
	answered, aerr := ipc.Admission(s.home, id)
	switch {
	case aerr == nil || journal.IsDamaged(aerr):
		// Answered before: here, or by a supervisor that died. What it left
		// undone is taken up, never done again.
		if s.takeUp(id, c, err, answered, aerr) {
			return nil
		}
		// The news may have been lost with the one who died. It comes before the
		// removal, after which nobody would repeat it.
		ring(c.Asker)
		s.done(id)
		return nil
	case !errors.Is(aerr, journal.ErrMissing):
		s.log.Printf("admission of %s: %v", id, aerr)
		s.later()
		return nil
	case journal.IsDamaged(err):
		s.busy[id] = true
		s.strange(id + ".json")
		return s.reject(journal.Command{ID: id, Action: "unknown"}, journal.Rejected, err.Error())
	}
	if s.learning && !s.begun(c) {
		s.fresh = append(s.fresh, id) // whether it has to wait is not known yet
		return nil
	}
	s.busy[id] = true
	return s.decide(c)
}

// decide is the admission itself.
func (s *Supervisor) decide(c journal.Command) *decision {
	switch c.Action {
	case journal.ActionRun:
		return s.decideRun(c)
	case journal.ActionStop, journal.ActionSteer, journal.ActionPrompt, journal.ActionInterrupt, journal.ActionAnswer:
		return s.decideLive(c)
	case journal.ActionLeave:
		if c.Incarnation != "" && c.Incarnation != s.self.Incarnation {
			return s.reject(c, journal.Stale, "it was meant for another supervisor")
		}
		return s.accept(c, func() { s.leaving = true; s.done(c.ID) })
	case journal.ActionReload:
		return s.accept(c, nil) // whatever is admitted, those that wait are looked at again
	default:
		return s.reject(c, journal.Rejected, fmt.Sprintf("unknown action %q", c.Action))
	}
}

func (s *Supervisor) decideRun(c journal.Command) *decision {
	records, err := journal.LoadRun(s.home, c.RunID)
	switch {
	case err != nil:
		return s.reject(c, journal.Rejected, "no such run: "+err.Error())
	case records.Launch == nil:
		return s.reject(c, journal.Rejected, "no usable launch record")
	case s.over(records):
		return s.reject(c, journal.Stale, "the run is over")
	}
	r := s.newRun(*records.Launch, c.ID)
	s.runs[r.id] = r
	r.heard(c.Asker)
	if r.launch.Plan != nil || r.moreToCome() {
		s.shims.refill() // before anybody is told that it was accepted: see take
	}
	if r.launch.Plan != nil {
		s.gather(r)
		return s.accept(c, func() { r.plan.begin(records.Stop) })
	}
	if why := s.lineUp(r, records.Process != nil || records.Exit != nil); why != "" {
		d := s.accept(c, func() { r.live() })
		d.admission.Queued, d.admission.Reason = true, why
		return d
	}
	d := s.accept(c, func() { r.begin() })
	if d.byShim = records.Process == nil; d.byShim {
		r.admission = &d.admission
	}
	return d
}

// decideLive is for commands to a run that should be alive.
func (s *Supervisor) decideLive(c journal.Command) *decision {
	r := s.runs[c.RunID]
	if r == nil {
		r = s.uncommanded(c.RunID)
	}
	if r == nil {
		records, err := journal.LoadRun(s.home, c.RunID)
		switch {
		case err != nil:
			return s.reject(c, journal.Rejected, "no such run")
		case records.Result != nil:
			return s.reject(c, journal.Stale, fmt.Sprintf("the run %s at %s", records.Result.Status, records.Result.EndedAt.Format(time.RFC3339)))
		default:
			return s.reject(c, journal.Stale, "the run is not alive")
		}
	}
	if c.Actor != r.launch.Owner && !c.Force {
		return s.reject(c, journal.Rejected, fmt.Sprintf("the run belongs to %q", r.launch.Owner))
	}
	if token := r.token(); c.Incarnation != "" && c.Incarnation != token {
		return s.reject(c, journal.Stale, "it was meant for another incarnation of the run")
	}
	if c.Action != journal.ActionStop && r.launch.Agent != nil {
		return s.decideOrder(r, c)
	}
	switch c.Action {
	case journal.ActionPrompt, journal.ActionInterrupt, journal.ActionAnswer:
		return s.reject(c, journal.Rejected, "the run is a plain command and no agent")
	case journal.ActionSteer:
		if why := r.steerable(c); why != "" {
			return s.reject(c, journal.Rejected, why)
		}
		r.heard(c.Asker)
		return s.accept(c, func() { r.steer(c) })
	}
	return s.decideStop(r, c)
}

// decideOrder is for what is to be said to an agent.
func (s *Supervisor) decideOrder(r *run, c journal.Command) *decision {
	if c.EOF {
		return s.reject(c, journal.Rejected, "an agent's stdin is its protocol; stop the run to end it")
	}
	// Also one that is refused: told that the agent is leaving, its asker may
	// wait for the end.
	r.heard(c.Asker)
	if state, reason := r.admitOrder(c); state != journal.Accepted {
		return s.reject(c, state, reason)
	}
	return s.accept(c, func() { r.takeOrder(c) })
}

func (s *Supervisor) decideStop(r *run, c journal.Command) *decision {
	r.heard(c.Asker)
	grace := r.launch.Limits.GraceMS
	if c.GraceMS != nil && (*c.GraceMS < 0 || *c.GraceMS > maxGrace.Milliseconds()) {
		return s.reject(c, journal.Rejected, fmt.Sprintf("graceMs %d is out of range, 0 to %d are accepted", *c.GraceMS, maxGrace.Milliseconds()))
	}
	if c.GraceMS != nil {
		grace = *c.GraceMS
	}
	d := s.accept(c, nil)
	stop := journal.Stop{Version: journal.Version, ID: r.id, Cause: journal.CauseCancelled, CommandID: c.ID, GraceMS: grace, At: time.Now().UTC()}
	d.stop = &stop
	d.effect = func() {
		r.commands = append(r.commands, c.ID)
		r.post(note{event: EvStop, stop: &stop, recorded: true, graceGiven: c.GraceMS != nil})
	}
	return d
}
