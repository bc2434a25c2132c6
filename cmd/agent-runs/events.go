package main

import (
	"context"
	"errors"
	"os"
	"os/signal"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

const eventsWords = `The life of runs in a few events of a fixed shape, each printed once, in order,
the last one with the result: created queued started resumed steered compacted
verified, and completed, failed, stopped or blocked. docs/events.md shows each.
The events of a plan come with those of its tasks.
--story prints all that the supervisor did instead, which has no fixed shape.`

func eventsCommand() *urfave.Command {
	return &urfave.Command{
		Name:        "events",
		Usage:       "print what happened to runs, in order",
		ArgsUsage:   "[ID...]",
		Description: eventsWords,
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on until the runs have ended; without an ID, for ever"},
			&urfave.StringFlag{Name: "owner", Usage: "without an ID, the runs of `OWNER` (default: one's own)"},
			&urfave.BoolFlag{Name: "all", Usage: "without an ID, the runs of every owner"},
			&urfave.BoolFlag{Name: "story", Usage: "every step that the supervisor took"},
			&urfave.BoolFlag{Name: "json", Usage: "print one JSON object a line"},
		},
		ShellComplete: completeRuns,
		Action:        events,
	}
}

// chronicle is what events can tell of: lives, or stories.
type chronicle interface {
	begin(ids []string) error // what there is of these runs, or of all
	followThese(context.Context) error
	followAll(context.Context) error
}

func events(ctx context.Context, c *urfave.Command) error {
	a, err := actorOf(c)
	if err != nil {
		return err
	}
	if c.Bool("all") && (c.IsSet("owner") || c.Args().Present()) {
		return cli.Fail(cli.Usage, "--all is every owner's runs, and goes with no --owner and no ID")
	}
	h, err := eventsHome(c)
	if err != nil {
		return err
	}
	ids, err := cli.ResolveAll(h, c.Args().Slice(), a.owner)
	if err != nil {
		return err
	}
	if c.Bool("all") {
		a.owner = ""
	}
	ids = andTasks(h, ids)
	var t chronicle = newLives(h, a.owner, lifePrinter(c.Bool("json")))
	if c.Bool("story") {
		t = newStory(h, a.owner, printerOf(c.Bool("json")))
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	switch {
	case c.Bool("follow") && len(ids) == 0:
		err = t.followAll(ctx)
	case c.Bool("follow"):
		if err = t.begin(ids); err == nil {
			err = t.followThese(ctx)
		}
	default:
		return t.begin(ids)
	}
	if errors.Is(err, context.Canceled) {
		return cli.Fail(cli.Interrupted, "the following was interrupted; the runs go on")
	}
	return err
}

func eventsHome(c *urfave.Command) (journal.Home, error) {
	if c.Bool("follow") && !c.Args().Present() {
		return followedHome()
	}
	return cli.ReaderHome()
}

// andTasks adds to each plan the tasks that are there and its own: not those
// that it took over from the plan before.
func andTasks(h journal.Home, ids []string) (all []string) {
	known := map[string]bool{}
	add := func(id string) {
		if !known[id] {
			known[id], all = true, append(all, id)
		}
	}
	for _, id := range ids {
		v, err := cli.Brief(h, id)
		if err == nil && v.Launch != nil && v.Launch.Plan != nil {
			for _, t := range v.Launch.Plan.Tasks {
				if _, err := os.Lstat(h.Run(t.RunID)); err == nil && !t.Done {
					add(t.RunID)
				}
			}
		}
		add(id)
	}
	return all
}
