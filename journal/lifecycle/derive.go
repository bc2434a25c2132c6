package lifecycle

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// Known is what is known of one run. It must have been read in the reverse
// order of its writing, the launch apart: result, exit, process, story,
// admission. Then what came first is there whenever what came later is.
type Known struct {
	Records journal.Records // with the admission, also of a run that started
	Status  journal.Status
	Story   []journal.Event
	Before  *journal.Usage  // of what an agent's life had used before this run; nil: not known
	Result  json.RawMessage // the bytes of result.json
}

// Of derives the events of a run. Nil: nobody asked for it yet.
func Of(k Known) []Event {
	if k.Records.Launch == nil && !k.Records.Terminal() {
		return nil
	}
	d := deriver{Known: k, base: base(k.Records)}
	d.created()
	d.queued()
	d.running()
	d.terminal()
	return d.events
}

type deriver struct {
	Known
	base   Event
	events []Event
}

// base is what all events of a run have in common.
func base(r journal.Records) Event {
	e := Event{Version: Version, RunID: r.ID}
	if r.Result != nil {
		e.Owner = r.Result.Owner
	}
	l := r.Launch
	if l == nil {
		return e
	}
	e.RootID, e.Owner, e.Name, e.Runtime = l.RootID, l.Owner, l.Name, l.Program.Runtime
	e.PlanID, e.Task, e.PartOf, e.Limits = l.PlanID, l.Task, l.PartOf, &l.Limits
	if l.Predecessor == "" || l.Index > 0 {
		e.Index = &l.Index
	}
	return e
}

func (d *deriver) add(kind string, at time.Time) *Event {
	e := d.base
	e.Type, e.At = kind, at
	d.events = append(d.events, e)
	return &d.events[len(d.events)-1]
}

// addUnused adds an event of before an agent said anything.
func (d *deriver) addUnused(kind string, at time.Time) *Event {
	e := d.add(kind, at)
	if l := d.Records.Launch; l != nil && l.Agent != nil {
		e.Usage, e.LifeUsage = &journal.Usage{}, d.Before
		if l.Predecessor == "" {
			e.LifeUsage = e.Usage
		}
	}
	return e
}

func (d *deriver) created() {
	at, _ := journal.IDTime(d.Records.ID)
	if d.Records.Launch != nil {
		at = d.Records.Launch.CreatedAt
	}
	d.addUnused(Created, at)
}

func (d *deriver) queued() {
	a, l := d.Records.Admission, d.Records.Launch
	switch {
	case a == nil || a.State != journal.Accepted:
	case l != nil && l.PlanID != "":
		d.addUnused(Queued, a.At).Reason = "its plan decides when"
	case a.Queued:
		d.addUnused(Queued, a.At).Reason = a.Reason
	}
}

func (d *deriver) running() {
	if l, a := d.Records.Launch, d.Records.Admission; l != nil && l.Plan != nil && a != nil && a.State == journal.Accepted {
		d.add(Started, a.At) // a plan executes nothing itself
	}
	if !d.ran() {
		return
	}
	kind := Started
	if l := d.Records.Launch; l != nil && (l.Context == journal.ContextResume || l.Context == journal.ContextFork) {
		kind = Resumed
	}
	d.addUnused(kind, d.Records.Process.StartedAt)
	for _, s := range d.Story {
		switch s.Type {
		case journal.EventSteered:
			d.add(Steered, s.At).Command = s.Command
		case journal.EventCompacted:
			d.add(Compacted, s.At)
		}
	}
}

// ran reports whether the program executes or did. The process record alone
// does not say so: the child may be at its gate still.
func (d *deriver) ran() bool {
	r := d.Records
	switch {
	case r.Process == nil:
		return false
	case r.Exit != nil:
		return r.Exit.LaunchError == nil
	}
	return slices.ContainsFunc(d.Story, func(e journal.Event) bool {
		switch e.Type {
		case journal.EventStarted, journal.EventAdopted, journal.EventSteered, journal.EventCompacted:
			return true
		}
		return false
	})
}

// terminal adds the end. A run whose asker died before it gave the command has
// no record of an end and no such event: nobody was told of it.
func (d *deriver) terminal() {
	if d.Status.Phase != journal.PhaseTerminal || !d.Records.Terminal() {
		return
	}
	r := d.Records.Result
	if r != nil && len(r.Verified) > 0 {
		e := d.used(d.add(Verified, r.EndedAt))
		e.Checks = r.Verified
		passed := r.Status == journal.StatusCompleted
		e.Passed = &passed
	}
	kind := d.Status.Status
	if d.Status.Cause == journal.CauseBlocked {
		kind = Blocked
	}
	e := d.used(d.add(kind, d.ended()))
	e.Cause, e.Result = d.Status.Cause, d.Result
	if r == nil {
		e.Result, e.Damaged = nil, d.Records.Damaged
	}
}

// used puts in what the result tells of the usage.
func (d *deriver) used(e *Event) *Event {
	if r := d.Records.Result; r != nil {
		if e.LifeUsage = r.LifeUsage; r.Talk != nil {
			e.Usage = &r.Talk.Usage
		}
	}
	return e
}

// ended is when the run ended. Where no record of the end can be read it was
// after what came before.
func (d *deriver) ended() time.Time {
	switch r := d.Records; {
	case r.Result != nil:
		return r.Result.EndedAt
	case r.Exit != nil:
		return r.Exit.At
	}
	return d.events[len(d.events)-1].At
}
