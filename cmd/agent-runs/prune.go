package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

func pruneCommand() *urfave.Command {
	return &urfave.Command{
		Name:  "prune",
		Usage: "delete one's own runs that ended long ago",
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
	age, err := days("--older-than", c.String("older-than"))
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
	before := time.Now().Add(-age)
	views, err := endedBefore(h, a.owner, before)
	if err != nil {
		return err
	}
	removed, failures := removeAll(h, views)
	if err := cli.Sweep(h, before); err != nil {
		failures = append(failures, cli.Fail(cli.RunFailed, "%v", err))
	}
	if c.Bool("json") || c.Bool("quiet") {
		err = printRemoved(c, removed)
	} else {
		_, err = fmt.Printf("removed %d runs\n", len(removed))
	}
	if err != nil {
		return err
	}
	return cli.Worst(failures)
}

// days is a duration that may be said in days.
func days(field, s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if n, ok := strings.CutSuffix(s, "d"); ok {
		var f float64
		f, err = strconv.ParseFloat(n, 64)
		d = time.Duration(min(max(f, -1), 1e5) * 24 * float64(time.Hour))
	}
	if err != nil || d < 0 {
		return 0, cli.Fail(cli.Usage, "%s %q is no duration; 90m, 12h and 30d are", field, s)
	}
	return d, nil
}

// endedBefore returns the runs of owner that were over at that time. An id
// tells when a run was made, so younger ones need not be read.
func endedBefore(h journal.Home, owner string, t time.Time) ([]cli.View, error) {
	var views []cli.View
	err := cli.EachOwned(h, owner, func(id string) error {
		if made, err := journal.IDTime(id); err != nil || made.After(t) {
			return err
		}
		v, err := cli.Load(h, id)
		if err != nil || v.Owner != owner || v.Phase != journal.PhaseTerminal {
			return nil // unreadable, removed meanwhile, or none of ours to delete
		}
		if v.EndedAt == nil || !v.EndedAt.After(t) {
			views = append(views, v)
		}
		return nil
	})
	return views, err
}
