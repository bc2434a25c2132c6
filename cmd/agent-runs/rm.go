package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

const rmWords = `Never deletes a live run. One whose end is unproven, of which something may
still be alive, is refused with exit code 5 unless --force is given: with its
records goes all that is known of what it left. After a restart of the host
nothing can be left, and it is removed as any other. A run goes with those that
checked and mended it, a plan with its tasks; of one that is live none of them
is removed, nor a plan of which another has taken tasks over.`

func rmCommand() *urfave.Command {
	return &urfave.Command{
		Name:          "rm",
		Usage:         "delete the records and output of runs that are over",
		ArgsUsage:     "ID...",
		Description:   rmWords,
		Flags:         append(actorFlags("act on a run of another owner, and give up one whose end is unproven"), jsonFlag(), quietFlag()),
		ShellComplete: completeRuns,
		Action: func(_ context.Context, c *urfave.Command) error {
			refs, err := someRuns(c)
			if err != nil {
				return err
			}
			a, err := actorOf(c)
			if err != nil {
				return err
			}
			h, err := cli.Home()
			if err != nil {
				return err
			}
			ids, err := cli.ResolveAll(h, refs, a.owner)
			if err != nil {
				return err
			}
			if ids, err = withParts(h, ids); err != nil {
				return err
			}
			views, err := mayRemove(h, a, ids)
			if err != nil {
				return err
			}
			removed, failures := removeAll(h, views, a.force)
			if err := printRemoved(c, removal{Removed: removed}); err != nil {
				return err
			}
			return cli.Worst(failures)
		},
	}
}

// withParts adds to each plan that is over its tasks, and to each run its
// parts. They go before it: what is left of a removal that was interrupted can
// be removed. The newest go first, for a plan may have taken over tasks of an
// older one.
func withParts(h journal.Home, ids []string) (all []string, err error) {
	add := func(v cli.View) {
		for _, id := range append(cli.Parts(h, v), v.ID) {
			if !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	for _, id := range slices.Backward(ids) {
		v, err := cli.Brief(h, id)
		if err != nil {
			return nil, err
		}
		if v.Plan != nil && v.Phase == journal.PhaseTerminal {
			for _, t := range v.Launch.Plan.Tasks {
				if t.Done || !cli.There(h, t.RunID) {
					continue
				}
				task, err := cli.Brief(h, t.RunID)
				if err != nil {
					return nil, err
				}
				add(task)
			}
		}
		add(v)
	}
	return all, nil
}

// mayRemove looks at every run before anything is deleted.
func mayRemove(h journal.Home, a actor, ids []string) ([]cli.View, error) {
	var views []cli.View
	for _, id := range ids {
		v, err := cli.Load(h, id)
		if err != nil {
			return nil, err
		}
		if err := a.may(v); err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	for _, v := range slices.Backward(views) { // a plan before its tasks
		if plan := cli.TakenBy(h, v); plan != "" && !slices.Contains(ids, plan) {
			return nil, cli.StillTaken(v, plan)
		}
	}
	return views, nil
}

// removeAll deletes what can be deleted and finishes what an interrupted
// removal left.
func removeAll(h journal.Home, views []cli.View, force bool) (removed []string, failures []*cli.Error) {
	held := map[string]bool{} // runs of which a part is left
	fail := func(err error) {
		var f *cli.Error
		if !errors.As(err, &f) {
			f = cli.Fail(cli.RunFailed, "%v", err)
		}
		failures = append(failures, f)
	}
	for _, v := range views {
		doubt := v.Doubt()
		if held[v.ID] {
			continue // its part's failure is told
		}
		if err := cli.Remove(h, v, force); err != nil {
			fail(err)
			if v.Launch != nil {
				held[v.Launch.PartOf] = true
			}
			continue
		}
		if doubt != "" {
			fmt.Fprintf(os.Stderr, "note: run %s is given up unproven: %s\n", v.ID, doubt)
		}
		removed = append(removed, v.ID)
	}
	if err := cli.FinishRemovals(h); err != nil {
		fail(err)
	}
	if len(removed) > 0 {
		if err := cli.SyncRemovals(h); err != nil {
			fail(err)
		}
	}
	return removed, failures
}

// removal is the JSON shape of rm and prune.
type removal struct {
	Version int      `json:"version"`
	Removed []string `json:"removed"`
	Kept    []string `json:"kept,omitempty"` // by prune: their end is unproven
	// Of those that prune removed, the ones whose completion nobody had
	// acknowledged.
	Unacknowledged []string `json:"unacknowledged,omitempty"`
}

func printRemoved(c *urfave.Command, r removal) error {
	if c.Bool("json") {
		r.Version, r.Removed = cli.ViewVersion, append([]string{}, r.Removed...)
		return cli.PrintJSON(r)
	}
	for _, id := range r.Removed {
		line := "removed " + id
		if c.Bool("quiet") {
			line = id
		}
		if _, err := fmt.Println(line); err != nil {
			return err
		}
	}
	return nil
}
