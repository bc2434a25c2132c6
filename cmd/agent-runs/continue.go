package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/talk"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
	urfave "github.com/urfave/cli/v3"
)

func continueCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "continue",
		Usage:     "give an agent the next thing to do",
		ArgsUsage: "ID [--] PROMPT|-, or PLAN",
		Description: `On a live run PROMPT is guidance, or the next turn of an agent that was
interrupted. On one that is over it starts a successor: a run of its own that
goes on with the agent's session, in the same directory and within the same
limits. A run has one successor; its id is printed. "-" reads PROMPT from stdin.
A PROMPT that begins with a dash goes behind "--".

PLAN alone, which is over, makes a new plan of what did not complete in it. Its
tasks get the environment of this call.`,
		Flags: append(actorFlags(forceWords),
			&urfave.BoolFlag{Name: "wait", Usage: "print the agent's last word when it is over and exit 0 or 1 by its end"},
			jsonFlag(), &urfave.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print the id only"}),
		ShellComplete: completeRuns,
		Action:        goOnWith,
	}
}

// goOnWith is "continue", which is a word of the language.
func goOnWith(ctx context.Context, c *urfave.Command) error {
	if c.Args().Len() == 1 {
		return goOnWithPlan(ctx, c)
	}
	if n := c.Args().Len(); n != 2 {
		return cli.Fail(cli.Usage, "%s takes a run and one prompt, but got %d arguments", c.FullName(), n).WithTry("%s ID 'PROMPT', in quotes", c.FullName())
	}
	prompt, err := promptArgument(c.Args().Get(1))
	if err != nil {
		return err
	}
	h, a, v, err := target(c, c.Args().First())
	if err != nil {
		return err
	}
	if v.Plan != nil {
		return cli.Fail(cli.Usage, "run %s is a plan, which takes no prompt", v.ID).WithTry("agent-runs continue %s", v.ID)
	}
	if !v.IsAgent() {
		return cli.Fail(cli.Refused, "run %s cannot be continued: it is not an agent's", v.ID)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if v.Phase != journal.PhaseTerminal {
		guided, err := guide(ctx, h, a, v, prompt)
		if err != nil {
			return err
		}
		if guided {
			return followUp(ctx, c, h, v.Launch, "said to the agent, which is at work")
		}
		if v, err = cli.Brief(h, v.ID); err != nil { // it has ended meanwhile
			return err
		}
	}
	l, err := succeed(h, v, prompt, !c.Bool("wait"))
	if err != nil {
		return err
	}
	if !c.Bool("wait") {
		if err := cli.AwaitStart(ctx, h, l); err != nil {
			return interruptedWait(l.ID, err)
		}
	}
	return followUp(ctx, c, h, l, cli.Began(h, l.ID))
}

// promptArgument is the prompt, which "-" reads from stdin.
func promptArgument(arg string) (string, error) {
	if arg != "-" {
		return arg, cli.CheckText("the prompt", arg)
	}
	body, err := io.ReadAll(io.LimitReader(os.Stdin, journal.MaxRecordBytes+1))
	if err != nil {
		return "", cli.Fail(cli.Usage, "the prompt cannot be read from stdin: %v", err)
	}
	return string(body), cli.CheckText("the prompt on stdin", string(body))
}

// guide says the prompt to a live agent, or returns false when the agent has
// left.
func guide(ctx context.Context, h journal.Home, a actor, v cli.View, prompt string) (bool, error) {
	m := newMessage(h, a, v, journal.Command{Action: journal.ActionPrompt, Text: prompt})
	if err := m.admit(ctx); err != nil {
		return false, err
	}
	if m.admission.State == journal.Accepted {
		if err := m.deliver(ctx); err != nil || m.lost() == nil {
			return true, err
		}
	} else if m.admission.State != journal.Stale {
		return false, m.refusal()
	}
	err := supervisor.Await(ctx, h, func() (bool, error) { return cli.Over(h, v.ID) })
	if err != nil {
		return false, interruptedWait(v.ID, err)
	}
	return false, nil
}

// followUp prints the receipt, or waits for the end if that was asked for.
func followUp(ctx context.Context, c *urfave.Command, h journal.Home, l *journal.Launch, did string) error {
	switch {
	case c.Bool("wait") && c.Bool("json"):
	case c.Bool("wait") && !c.Bool("quiet"):
		fmt.Fprintln(os.Stderr, "run "+l.ID)
	case c.Bool("json"):
		v, err := cli.Load(h, l.ID)
		if err != nil {
			return err
		}
		return cli.PrintJSON(v)
	default:
		if _, err := fmt.Println(l.ID); err != nil {
			return err
		}
		if !c.Bool("quiet") {
			fmt.Fprintf(os.Stderr, "%s; see agent-runs inspect %s\n", did, l.ID)
		}
	}
	if !c.Bool("wait") {
		return nil
	}
	if err := talk.Wait(ctx, h, l); err != nil {
		return interruptedWait(l.ID, err)
	}
	return talk.Finish(h, l.ID, c.Bool("json"), c.Bool("quiet"))
}

func interruptedWait(id string, err error) error {
	if errors.Is(err, context.Canceled) {
		return cli.Fail(cli.Interrupted, "the waiting was interrupted; run %s goes on", id).WithTry("agent-runs wait %s, or agent-runs stop %s", id, id)
	}
	return err
}
