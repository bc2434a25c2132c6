package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

func pruneCommand() *urfave.Command {
	return &urfave.Command{
		Name:        "prune",
		Usage:       "delete one's own runs that ended long ago",
		Description: "Keeps runs whose end is unproven, of which something may still be alive, until\nthe host is restarted; \"agent-runs rm --force\" gives one up.\nWith a run goes its completion, also one that nobody has acknowledged: that is told.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "older-than", Value: "30d", Usage: "delete runs that ended more than `D` ago (12h, 30d)"},
			&urfave.StringFlag{Name: "owner", Usage: "delete runs of `OWNER` (default: one's own)"},
			jsonFlag(), quietFlag(),
		},
		Action: prune,
	}
}

func prune(_ context.Context, c *urfave.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	age, err := cli.Span("--older-than", c.String("older-than"))
	if err != nil {
		return err
	}
	if age < 0 {
		return cli.Fail(cli.Usage, "--older-than %s is negative, 0s and more are accepted", c.String("older-than"))
	}
	a, err := actorOf(c)
	if err != nil {
		return err
	}
	h, err := cli.Home()
	if err != nil {
		return err
	}
	before := time.Now().Add(-age)
	views, err := endedBefore(h, a.owner, before)
	if err != nil {
		return err
	}
	views, kept := undoubted(views)
	unseen := unacknowledged(h, views)
	removed, failures := removeAll(h, views, false)
	if err := cli.Sweep(h, before); err != nil {
		failures = append(failures, cli.Fail(cli.RunFailed, "%v", err))
	}
	r := removal{Removed: removed, Kept: kept}
	for _, id := range removed {
		if unseen[id] {
			r.Unacknowledged = append(r.Unacknowledged, id)
		}
	}
	if err := printPruned(c, r); err != nil {
		return err
	}
	return cli.Worst(failures)
}

func printPruned(c *urfave.Command, r removal) (err error) {
	if c.Bool("json") || c.Bool("quiet") {
		err = printRemoved(c, r)
	} else {
		_, err = fmt.Printf("removed %d runs\n", len(r.Removed))
	}
	if err != nil || c.Bool("json") {
		return err
	}
	if len(r.Kept) > 0 {
		fmt.Fprintf(os.Stderr, "note: kept %d whose end is unproven: %s\n", len(r.Kept), cli.Some(r.Kept))
	}
	if len(r.Unacknowledged) > 0 {
		fmt.Fprintf(os.Stderr, "note: of %d of them the completion was not acknowledged: %s\n", len(r.Unacknowledged), cli.Some(r.Unacknowledged))
	}
	return nil
}

// unacknowledged are those whose completion waits.
func unacknowledged(h journal.Home, views []cli.View) map[string]bool {
	ids := map[string]bool{}
	for _, v := range views {
		if cli.Waits(h, v) {
			ids[v.ID] = true
		}
	}
	return ids
}

// undoubted sets apart the runs of which something may still be there, and
// what they are parts of.
func undoubted(all []cli.View) (views []cli.View, kept []string) {
	doubted := map[string]bool{}
	for _, v := range all { // parts come before their whole
		if doubted[v.ID] || v.Doubt() != "" {
			if v.Launch != nil {
				doubted[v.Launch.PartOf] = true
			}
			kept = append(kept, v.ID)
			continue
		}
		views = append(views, v)
	}
	return views, kept
}

// endedBefore returns the runs of owner that were over at that time, each after
// its parts. An id tells when a run was made, so younger ones need not be read.
func endedBefore(h journal.Home, owner string, t time.Time) ([]cli.View, error) {
	var views []cli.View
	listed := map[string]bool{}
	err := cli.EachOwned(h, owner, func(id string) error {
		if made, err := journal.IDTime(id); err != nil || made.After(t) {
			return err
		}
		v, err := cli.Load(h, id)
		if err != nil || v.Owner != owner || v.Phase != journal.PhaseTerminal {
			return nil // unreadable, removed meanwhile, or none of ours to delete
		}
		if plan, err := cli.PlanOf(h, v); err != nil || plan != "" {
			return err // it goes with its plan, or later
		}
		if whole := v.Launch; whole != nil && whole.PartOf != "" && cli.There(h, whole.PartOf) {
			return nil // it goes with what it is a part of
		}
		if plan := cli.TakenBy(h, v); plan != "" && !listed[plan] {
			return nil // it goes with the plan that has taken it over, which is newer
		}
		if v.EndedAt == nil || !v.EndedAt.After(t) {
			views, listed[v.ID] = append(views, withItsParts(h, v)...), true
		}
		return nil
	})
	return views, err
}

// withItsParts is a run after what is left of its parts, which are over when it
// is.
func withItsParts(h journal.Home, v cli.View) (views []cli.View) {
	for _, id := range cli.Parts(h, v) {
		if part, err := cli.Load(h, id); err == nil {
			views = append(views, part)
		}
	}
	return append(views, v)
}
