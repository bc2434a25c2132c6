package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
	urfave "github.com/urfave/cli/v3"
)

func stopCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "stop",
		Usage:     "end runs and prove that nothing of them is left",
		ArgsUsage: "ID...|--all",
		Description: `TERM goes to the child, and after the grace KILL to whatever is left. Succeeds
only when the whole tree is gone; a run that is over already is no failure. A
second stop shortens the grace of the first.`,
		Flags: append(actorFlags(forceWords),
			&urfave.BoolFlag{Name: "all", Usage: "stop all runs of one's own"},
			&urfave.StringFlag{Name: "grace", Usage: "wait `D` between TERM and KILL (default: what the run was started with)"},
			&urfave.BoolFlag{Name: "no-wait", Usage: "return when the order is admitted"},
			jsonFlag(), quietFlag()),
		ShellComplete: completeRuns,
		Action:        stop,
	}
}

func stop(ctx context.Context, c *urfave.Command) error {
	grace, err := graceOf(c)
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
	ids, err := stopIDs(c, h, a)
	if err != nil {
		return err
	}
	orders, err := prepareStops(h, a, ids, grace)
	if err != nil {
		return err
	}
	if err := postStops(h, orders); err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(ctx, os.Interrupt)
	defer cancel()
	if err := awaitStops(ctx, h, orders, c.Bool("no-wait")); err != nil {
		return err
	}
	return reportStops(c, h, orders)
}

func graceOf(c *urfave.Command) (*int64, error) {
	if !c.IsSet("grace") {
		return nil, nil
	}
	grace, err := cli.SpanWithin("--grace", c.String("grace"), 0)
	if err != nil {
		return nil, err
	}
	ms := grace.Milliseconds()
	return &ms, nil
}

// stopIDs are the runs that were named, or all live ones of the actor.
func stopIDs(c *urfave.Command, h journal.Home, a actor) ([]string, error) {
	if !c.Bool("all") {
		refs, err := someRuns(c)
		if err != nil {
			return nil, err
		}
		return cli.ResolveAll(h, refs, a.owner)
	}
	if c.Args().Present() {
		return nil, cli.Fail(cli.Usage, "--all takes no ids, but got %q", c.Args().First())
	}
	live, err := cli.Live(h)
	if err != nil {
		return nil, err
	}
	var own []string
	for _, v := range live {
		if v.Owner == a.owner {
			own = append(own, v.ID)
		}
	}
	return own, nil
}

// ending is one run that shall end.
type ending struct {
	before    cli.View // as seen when the order was given
	command   journal.Command
	ordered   bool // false: it was over already
	grace     time.Duration
	admission *journal.Admission
}

// prepareStops looks at every run before anything is written: a run that may
// not be stopped fails the whole command.
func prepareStops(h journal.Home, a actor, ids []string, grace *int64) ([]*ending, error) {
	var list []*ending
	for _, id := range ids {
		v, err := cli.Brief(h, id)
		if err != nil {
			return nil, err
		}
		e := &ending{before: v}
		list = append(list, e)
		if v.Phase == journal.PhaseTerminal {
			continue
		}
		if err := a.may(v); err != nil {
			return nil, err
		}
		now := time.Now().UTC()
		e.ordered = true
		e.command = journal.Command{Version: journal.Version, ID: journal.NewID(now), RunID: id, Action: journal.ActionStop,
			Actor: a.owner, Force: a.force, GraceMS: grace, CreatedAt: now}
		if v.Process != nil {
			e.command.Incarnation = v.Process.Token
		}
		switch {
		case grace != nil:
			e.grace = time.Duration(*grace) * time.Millisecond
		case v.Launch != nil:
			e.grace = v.Launch.Limits.Grace()
		}
	}
	return list, nil
}

func postStops(h journal.Home, list []*ending) error {
	var commands []journal.Command
	for _, e := range list {
		if e.ordered {
			commands = append(commands, e.command)
		}
	}
	if len(commands) == 0 {
		return nil
	}
	return order(h, commands...)
}

// stopPatience is what a proof may take beyond the grace before we stop
// waiting for it. The supervisor goes on.
const stopPatience = 15 * time.Second

// awaitStops returns when every order is answered and, unless noWait, every
// run is settled or has had its time.
func awaitStops(ctx context.Context, h journal.Home, list []*ending, noWait bool) error {
	var open []*ending
	patience := time.Duration(0)
	for _, e := range list {
		if e.ordered {
			open = append(open, e)
			patience = max(patience, e.grace+stopPatience)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := supervisor.Await(ctx, h, func() (bool, error) {
		left := open[:0]
		for _, e := range open {
			over, err := e.over(h, noWait)
			if err != nil {
				return false, err
			}
			if !over {
				left = append(left, e)
			}
		}
		open = left
		return len(open) == 0, nil
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil // the report says what is not proven
	case errors.Is(err, context.Canceled):
		var ids []string
		for _, e := range open {
			ids = append(ids, e.before.ID)
		}
		return cli.Fail(cli.Interrupted, "the waiting was interrupted; the order to stop stands").WithTry("agent-runs wait %s", strings.Join(ids, " "))
	}
	return err
}

// over reports whether there is nothing more to wait for.
func (e *ending) over(h journal.Home, noWait bool) (bool, error) {
	if e.admission == nil {
		a, err := ipc.Admission(h, e.command.ID)
		if err != nil && !errors.Is(err, journal.ErrMissing) {
			return false, err
		}
		if err == nil {
			e.admission = a
		}
	}
	if e.admission != nil && (noWait || e.admission.State != journal.Accepted) {
		return true, nil
	}
	return cli.Over(h, e.before.ID)
}
