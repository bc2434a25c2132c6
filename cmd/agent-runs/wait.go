package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

func waitCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "wait",
		Usage:     "wait for runs to end",
		ArgsUsage: "ID...",
		Description: `Exits 0 if all that it waited for completed, 1 if any did not. Ctrl-C ends the
waiting only. Of a plan it prints the tasks that ended while it waited, a line
each, and once it is over those that did not complete, whenever they ended; on
stderr how many of them are over.`,
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "any", Usage: "return as soon as one has ended"},
			&urfave.StringFlag{Name: "timeout", Usage: "give up waiting after `D`"},
			jsonFlag(), quietFlag(),
		},
		ShellComplete: completeRuns,
		Action:        wait,
	}
}

func wait(ctx context.Context, c *urfave.Command) error {
	refs, err := someRuns(c)
	if err != nil {
		return err
	}
	var timeout time.Duration
	if c.IsSet("timeout") {
		if timeout, err = cli.SpanWithin("--timeout", c.String("timeout"), 0); err != nil {
			return err
		}
	}
	owner, err := cli.Owner("")
	if err != nil {
		return err
	}
	h, err := cli.Home()
	if err != nil {
		return err
	}
	ids, err := cli.ResolveAll(h, refs, owner)
	if err != nil {
		return err
	}
	before, err := plansBefore(h, ids)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if c.IsSet("timeout") {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	ended, running, err := awaitEnds(ctx, h, ids, c.Bool("any"))
	if e := printTasks(c, h, before); e != nil {
		return e
	}
	if e := printEnded(c, h, ended, running, before); e != nil {
		return e
	}
	return waited(c, h, ended, running, err)
}

// awaitEnds returns which of the runs have ended when enough have, or when
// ctx is over.
func awaitEnds(ctx context.Context, h journal.Home, ids []string, any bool) (ended, running []string, err error) {
	running = ids
	err = cli.AwaitRuns(ctx, cli.Attended(h), h, func() (bool, error) {
		left := []string(nil)
		for _, id := range running {
			over, err := cli.Over(h, id)
			if err != nil {
				return false, err
			}
			if over {
				ended = append(ended, id)
			} else {
				left = append(left, id)
			}
		}
		running = left
		return len(running) == 0 || any && len(ended) > 0, nil
	}, ids...)
	return ended, running, err
}

func printEnded(c *urfave.Command, h journal.Home, ended, running []string, before []slice) error {
	if c.Bool("json") {
		return waitedPage(h, append(ended, running...), before)
	}
	for _, id := range ended {
		line := id
		if !c.Bool("quiet") {
			v, err := cli.Brief(h, id)
			if err != nil {
				return err
			}
			line += " " + v.Ending()
		}
		if _, err := fmt.Println(line); err != nil {
			return err
		}
	}
	return nil
}

// waited turns what came of the waiting into the exit code.
func waited(c *urfave.Command, h journal.Home, ended, running []string, err error) error {
	still := strings.Join(running, " ")
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return cli.Fail(cli.TimedOut, "not over after %s: %s", c.String("timeout"), still).WithTry("agent-runs wait %s", still)
	case errors.Is(err, context.Canceled):
		return cli.Fail(cli.Interrupted, "the waiting was interrupted; still running: %s", still).WithTry("agent-runs wait %s", still)
	case err != nil:
		return err
	}
	for _, id := range ended {
		v, err := cli.Brief(h, id)
		if err != nil {
			return err
		}
		if v.Status != journal.StatusCompleted {
			return &cli.Error{Code: cli.RunFailed}
		}
	}
	return nil
}
