package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/plans"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

// slice is a plan that is waited for, and which of its tasks were over before.
// What ends until the wait does is told.
type slice struct {
	id   string
	over map[string]bool // by their ids
	now  plans.View
}

func plansBefore(h journal.Home, ids []string) (list []slice, err error) {
	for _, id := range ids {
		v, err := cli.Brief(h, id)
		if gone(err) {
			continue // removed meanwhile, which ends the wait
		}
		if err != nil {
			return nil, err
		}
		if v.Plan == nil {
			continue
		}
		p, err := plans.With(h, v)
		if err != nil {
			return nil, err
		}
		s := slice{id: id, over: map[string]bool{}, now: p}
		for _, t := range p.Tasks {
			s.over[t.ID] = t.Over()
		}
		list = append(list, s)
	}
	return list, nil
}

func gone(err error) bool {
	var fail *cli.Error
	return errors.As(err, &fail) && fail.Code == cli.NotFound
}

// look reads the plan anew and returns the tasks that ended since.
func (s *slice) look(h journal.Home) (ended []cli.Task, err error) {
	v, err := plans.Load(h, s.id)
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.now = v
	for _, t := range v.Tasks {
		if t.Over() && !s.over[t.ID] {
			ended = append(ended, t)
			s.now.Finished = append(s.now.Finished, t.ID)
		}
	}
	return ended, nil
}

// toTell are the tasks that are told to a person: what ended since and, once the
// plan is over, whatever did not complete.
func (s *slice) toTell(ended []cli.Task) []cli.Task {
	if s.now.Phase != journal.PhaseTerminal {
		return ended
	}
	var tell []cli.Task
	for _, t := range s.now.Tasks {
		if t.Over() && (!s.over[t.ID] || t.Status != journal.StatusCompleted) {
			tell = append(tell, t)
		}
	}
	return tell
}

// printTasks tells what ended of the plans while they were waited for.
func printTasks(c *urfave.Command, h journal.Home, list []slice) error {
	for i := range list {
		ended, err := list[i].look(h)
		switch {
		case err != nil:
			return err
		case c.Bool("json"):
			continue
		case c.Bool("quiet"):
			for _, t := range ended {
				fmt.Println(t.RunID)
			}
			continue
		}
		if err := plans.PrintEnds(os.Stdout, list[i].toTell(ended)); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "plan %s: %s\n", list[i].id, list[i].now.Plan.Words())
	}
	return nil
}

// waitedPage prints the runs, each plan with its tasks.
func waitedPage(h journal.Home, ids []string, list []slice) error {
	plan := map[string]plans.View{}
	for _, s := range list {
		plan[s.id] = s.now
	}
	p := page{Version: cli.ViewVersion, Runs: []any{}}
	for _, id := range ids {
		if v, ok := plan[id]; ok {
			p.Runs = append(p.Runs, v)
			continue
		}
		v, err := cli.Brief(h, id)
		if err != nil {
			return err
		}
		p.Runs = append(p.Runs, v)
	}
	return p.print()
}
