package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

func interruptCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "interrupt",
		Usage:     "end an agent's turn and keep the agent",
		ArgsUsage: "ID",
		Description: `The agent waits then for "agent-runs continue", as long as its limits let it.
"agent-runs stop" ends the run.`,
		Flags:         append(actorFlags(forceWords), jsonFlag()),
		ShellComplete: completeRuns,
		Action: func(ctx context.Context, c *urfave.Command) error {
			ref, err := oneRun(c)
			if err != nil {
				return err
			}
			h, a, v, err := agentTarget(c, ref)
			if err != nil {
				return err
			}
			if err := alive(v); err != nil {
				return err
			}
			m := newMessage(h, a, v, journal.Command{Action: journal.ActionInterrupt})
			if err := m.settle(ctx); err != nil {
				return err
			}
			return m.done(c.Bool("json"), "interrupted; give it the next turn with agent-runs continue "+v.ID+" PROMPT")
		},
	}
}

// agentTarget is the target of an order that only agents know.
func agentTarget(c *urfave.Command, ref string) (journal.Home, actor, cli.View, error) {
	h, a, v, err := target(c, ref)
	if err == nil && !v.IsAgent() {
		err = cli.Fail(cli.Refused, "run %s is not an agent's", v.ID)
	}
	return h, a, v, err
}

// alive refuses orders to an agent that has ended.
func alive(v cli.View) error {
	if v.Phase == journal.PhaseTerminal {
		return withContinue(v, cli.Fail(cli.Refused, "run %s is over: %s", v.ID, v.Ending()))
	}
	return nil
}

// settle sends the order and waits for what becomes of it.
func (m *message) settle(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if err := m.admit(ctx); err != nil {
		return err
	}
	if refused := m.refusal(); refused != nil {
		return refused
	}
	if err := m.deliver(ctx); err != nil {
		return err
	}
	if lost := m.lost(); lost != nil {
		return cli.Fail(cli.Refused, "not taken: %s", lost.Error)
	}
	return nil
}

// done tells that the order is followed, or on its way.
func (m *message) done(asJSON bool, words string) error {
	state := "waiting"
	if m.outcome != nil {
		state = "delivered"
	}
	if asJSON {
		return cli.PrintJSON(map[string]any{"version": cli.ViewVersion, "id": m.command.RunID, "command": m.command.ID, "state": state})
	}
	if m.outcome == nil {
		words = "accepted; it is on its way to the agent"
	}
	fmt.Fprintln(os.Stderr, words)
	return nil
}
