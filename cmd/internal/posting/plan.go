package posting

import (
	"os"
	"time"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
)

// Plan is a plan with its tasks, complete but for what they take from their
// caller.
type Plan struct {
	Launch *journal.Launch
	Tasks  []*journal.Launch // those that are to be run
	Envs   [][]string        // the environment of each
}

// NewPlan makes the launch of a plan. id is later than those of its tasks, so
// that a list shows it before them.
func NewPlan(id, owner, cwd string, now time.Time, plan journal.Plan) *journal.Launch {
	return &journal.Launch{ID: id, RootID: id, Owner: owner, Cwd: cwd, Context: journal.ContextFresh,
		Program: journal.Program{Runtime: journal.RuntimePlan, Argv: []string{}, EnvNames: []string{}},
		Stdin:   journal.Stdin{Mode: "empty"}, Plan: &plan, CreatedAt: now}
}

// Post makes the plan and its tasks durable and a supervisor aware of them, or
// leaves nothing behind. The error is journal.ErrExists where the plan that
// this one goes on from was continued by another.
func (p *Plan) Post(h journal.Home, umask int) error {
	err := p.make(h, umask)
	if err == nil {
		err = ipc.PostPlan(h, p.launches(), *p.Launch, Command(p.Launch))
	}
	if err == nil {
		err = supervisor.Ensure(h)
	}
	if err != nil {
		p.withdraw(h)
	}
	return err
}

// make writes down all that comes before the launch records.
func (p *Plan) make(h journal.Home, umask int) error {
	c, err := CallerOf(umask)
	if err != nil {
		return err
	}
	c.Sign(p.Launch)
	for _, l := range append([]*journal.Launch{p.Launch}, p.Tasks...) {
		if err := os.Mkdir(h.Run(l.ID), 0o700); err != nil {
			return err
		}
	}
	failpoint.Hit("plan/made")
	for i, l := range p.Tasks {
		l.PlanID = p.Launch.ID
		p.Launch.Limits.GraceMS = max(p.Launch.Limits.GraceMS, l.Limits.GraceMS)
		if err := c.Fill(h, l, p.Envs[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) launches() []journal.Launch {
	list := make([]journal.Launch, len(p.Tasks))
	for i, l := range p.Tasks {
		list[i] = *l
	}
	return list
}

// withdraw removes what a failed post left, unless the command got through or
// the plan that it goes on from names it already.
func (p *Plan) withdraw(h journal.Home) {
	if _, err := os.Lstat(h.Command(p.Launch.ID)); err == nil || p.claimed(h) {
		return
	}
	Withdraw(h, p.Launch)
	for _, l := range p.Tasks {
		Withdraw(h, l)
	}
}

func (p *Plan) claimed(h journal.Home) bool {
	var s journal.Successor
	return p.Launch.Predecessor != "" && journal.Read(h.File(p.Launch.Predecessor, journal.SuccessorFile), &s) == nil && s.ID == p.Launch.ID
}
