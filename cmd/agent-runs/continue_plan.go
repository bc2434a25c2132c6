package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/agents"
	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/plans"
	"github.com/agent-runs/agent-runs/cmd/internal/posting"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

// goOnWithPlan starts a plan of what did not complete in one that is over.
func goOnWithPlan(ctx context.Context, c *urfave.Command) error {
	h, _, v, err := target(c, c.Args().First())
	if err != nil {
		return err
	}
	if v.Plan == nil {
		return cli.Fail(cli.Usage, "%s takes a run and one prompt, but got no prompt", c.FullName()).WithTry("%s ID 'PROMPT', in quotes", c.FullName())
	}
	if err := posting.Allowed(); err != nil {
		return err
	}
	if v.Phase != journal.PhaseTerminal {
		return cli.Fail(cli.Refused, "plan %s cannot be continued: it is %s", v.ID, v.Status).WithTry("agent-runs wait %s", v.ID)
	}
	if v.Successor != "" {
		return continuedPlan(h, v.ID, nil)
	}
	p, err := rest(h, v)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	err = p.Post(h, cli.OwnUmask())
	if errors.Is(err, journal.ErrExists) {
		return continuedPlan(h, v.ID, nil)
	}
	if err != nil {
		return fmt.Errorf("the plan was not started: %w", err)
	}
	return plans.Follow(ctx, h, p.Launch, plans.Manner{Wait: c.Bool("wait"), JSON: c.Bool("json"), Quiet: c.Bool("quiet")})
}

func continuedPlan(h journal.Home, id string, err error) error {
	next, e := cli.SuccessorOf(h, id)
	if err = errors.Join(err, e); err != nil {
		return cli.Fail(cli.Refused, "plan %s was continued already, but by which cannot be read: %v", id, err)
	}
	return cli.Fail(cli.Refused, "plan %s was continued already, by plan %s", id, next).WithTry("agent-runs continue %s", next)
}

// rest is the plan of what did not complete in v. Completed tasks are taken
// over: what needs them needs the runs they were.
func rest(h journal.Home, v cli.View) (*posting.Plan, error) {
	tasks, err := cli.Tasks(h, v)
	if err != nil {
		return nil, err
	}
	open := slices.DeleteFunc(slices.Clone(tasks), hasCompleted)
	if len(open) == 0 {
		return nil, cli.Fail(cli.Refused, "plan %s cannot be continued: all its tasks completed", v.ID)
	}
	now := time.Now().UTC()
	ids := journal.NewIDs(now, len(open)+1)
	fresh := make(map[string]string, len(open)) // by the run that it is again
	for i, t := range open {
		fresh[t.RunID] = ids[i]
	}
	p, listed := &posting.Plan{}, []journal.PlanTask{}
	caps := newCaps()
	for _, t := range tasks {
		if hasCompleted(t) && !cli.There(h, t.RunID) {
			return nil, cli.Fail(cli.Refused, "plan %s cannot be continued: the records of task %s were removed", v.ID, t.ID)
		}
		if hasCompleted(t) {
			listed = append(listed, journal.PlanTask{ID: t.ID, RunID: t.RunID, Done: true})
			continue
		}
		l, env, err := again(h, t, fresh, now, caps)
		if err != nil {
			return nil, err
		}
		p.Tasks, p.Envs = append(p.Tasks, l), append(p.Envs, env)
		listed = append(listed, journal.PlanTask{ID: t.ID, RunID: l.ID})
	}
	old := v.Launch
	p.Launch = posting.NewPlan(ids[len(open)], old.Owner, old.Cwd, now, journal.Plan{Tasks: listed, Limits: old.Plan.Limits, File: old.Plan.File})
	p.Launch.Name, p.Launch.RootID, p.Launch.Predecessor, p.Launch.Index = old.Name, old.RootID, v.ID, old.NextIndex()
	return p, nil
}

func hasCompleted(t cli.Task) bool { return t.Status == journal.StatusCompleted }

// again is what is asked of a task once more: the same as before its needs'
// outputs were put in place.
func again(h journal.Home, t cli.Task, fresh map[string]string, now time.Time, caps *caps) (*journal.Launch, []string, error) {
	l := &journal.Launch{}
	if err := journal.Read(h.File(t.RunID, journal.LaunchFile), l); err != nil {
		return nil, nil, cli.Fail(cli.Refused, "task %s cannot be run again: %v", t.ID, err)
	}
	before := l.Program.EnvNames
	l.ID = fresh[t.RunID]
	l.RootID, l.EnvFile, l.CreatedAt = l.ID, "", now
	l.Limits = caps.on(l)
	if err := posting.Ceilings(h, l.Limits, caps.in(l.Cwd)); err != nil {
		return nil, nil, err
	}
	for i, need := range l.Needs {
		if id, ok := fresh[need]; ok {
			l.Needs[i] = id
		}
	}
	env := posting.Env(os.Environ(), nil, l.Cwd)
	if l.Agent != nil {
		r, err := agents.Named("runtime", l.Program.Runtime)
		if err == nil {
			env, err = agents.Equip(l, r, env)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
	}
	if gone := missing(before, env); len(gone) > 0 {
		fmt.Fprintf(os.Stderr, "note: task %s had %s in its environment, whose values are not on record\n", t.ID, cli.Some(gone))
	}
	return l, env, nil
}

// missing are the names that env does not set.
func missing(names, env []string) (gone []string) {
	set := make(map[string]bool, len(env))
	for _, e := range env {
		k, _, _ := strings.Cut(e, "=")
		set[k] = true
	}
	for _, n := range names {
		if !set[n] {
			gone = append(gone, n)
		}
	}
	return gone
}
