package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/plans"
	"github.com/agent-runs/agent-runs/cmd/internal/posting"
	"github.com/agent-runs/agent-runs/journal"
)

func (r *planRequest) run(ctx context.Context) error {
	umask := cli.OwnUmask()
	dir, err := journal.HomeDir(os.Getenv)
	if err != nil {
		return cli.Fail(cli.Usage, "%v", err)
	}
	r.home = journal.Home{Dir: dir}
	p, err := r.equip() // before anything is written
	if err != nil {
		return err
	}
	if r.home, err = journal.OpenHome(dir); err != nil {
		return cli.Fail(cli.Usage, "%v", err)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if err := p.Post(r.home, umask); err != nil {
		return fmt.Errorf("the plan was not started: %w", err)
	}
	return plans.Follow(ctx, r.home, r.launch, plans.Manner{Wait: r.wait, JSON: r.json, Quiet: r.quiet})
}

// equip makes the launch records. What cannot be had for a task is a fault of
// the plan; the error is all of its faults.
func (r *planRequest) equip() (*posting.Plan, error) {
	now := time.Now().UTC()
	ids := journal.NewIDs(now, len(r.tasks)+1)
	p := &posting.Plan{}
	listed := make([]journal.PlanTask, len(r.tasks))
	runOf := make(map[string]string, len(r.tasks))
	faulty := r.faulty() // of these it is not even known what they are to get
	for i := range r.tasks {
		runOf[r.tasks[i].ID] = ids[i]
	}
	for i := range r.tasks {
		t := &r.tasks[i]
		if faulty[t.called] {
			continue
		}
		l, env, err := t.equip(r, ids[i], now)
		var fail *cli.Error
		if errors.As(err, &fail) {
			r.fault(t, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, need := range t.Needs {
			l.Needs = append(l.Needs, runOf[need])
		}
		listed[i] = journal.PlanTask{ID: t.ID, RunID: l.ID}
		p.Tasks, p.Envs = append(p.Tasks, l), append(p.Envs, env)
	}
	if err := r.refused(); err != nil {
		return nil, err
	}
	p.Launch = posting.NewPlan(ids[len(r.tasks)], r.owner, r.cwd, now, journal.Plan{Tasks: listed, Limits: r.limits, File: r.file})
	p.Launch.Name = r.name
	r.launch = p.Launch
	return p, nil
}

func (t *task) equip(r *planRequest, id string, now time.Time) (*journal.Launch, []string, error) {
	l := t.launchOf(id, r.owner, now)
	env, err := t.work.equip(r.home, l)
	if err == nil && t.agent == nil {
		l.Stdin, err = t.stdinRecord("")
	}
	return l, env, err
}
