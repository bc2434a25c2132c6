package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"unicode/utf8"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

func steerCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "steer",
		Usage:     "say something to a run",
		ArgsUsage: "ID [--] TEXT|-",
		Description: `An agent gets TEXT while it works; one that has gone idle is not steered any more
but continued (agent-runs continue). A plain command gets TEXT on its stdin, if
that was left open (delegate --stdin open), with a newline at its end. "-"
passes on what this command reads from its own stdin, as it is. A TEXT that
begins with a dash goes behind "--".`,
		Flags:         append(actorFlags(forceWords), &urfave.BoolFlag{Name: "eof", Usage: "let the run read the end of its stdin after TEXT, which may be missing then"}, jsonFlag()),
		ShellComplete: completeRuns,
		Action:        steer,
	}
}

func steer(ctx context.Context, c *urfave.Command) error {
	args := c.Args().Slice()
	if len(args) == 0 {
		return wantsText(c)
	}
	text, err := steerText(c)
	if err != nil {
		return err
	}
	h, a, v, err := target(c, args[0])
	if err != nil {
		return err
	}
	if err := cli.NoPlan(v, "a plan cannot be spoken with"); err != nil {
		return err
	}
	if err := alive(v); err != nil {
		return err
	}
	if v.IsAgent() {
		if c.Bool("eof") {
			return cli.Fail(cli.Usage, "--eof is for commands; run %s is an agent's", v.ID).WithTry("agent-runs stop %s", v.ID)
		}
		text = strings.TrimSuffix(text, "\n")
		if err := cli.CheckText("the text", text); err != nil {
			return err
		}
	}
	m := newMessage(h, a, v, journal.Command{Action: journal.ActionSteer, Text: text, EOF: c.Bool("eof")})
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if err := m.admit(ctx); err != nil {
		return err
	}
	if refused := m.refusal(); refused != nil {
		return withContinue(v, refused)
	}
	if err := m.deliver(ctx); err != nil {
		return err
	}
	return m.report(v, c.Bool("json"))
}

// withContinue tells how to say something to an agent that has gone idle.
func withContinue(v cli.View, e *cli.Error) error {
	if v.IsAgent() {
		return e.WithTry("agent-runs continue %s TEXT", v.ID)
	}
	return e
}

func wantsText(c *urfave.Command) error {
	return cli.Fail(cli.Usage, "%s needs a run and a text", c.FullName()).WithTry("%s ID TEXT, or --eof without a text", c.FullName())
}

// steerText is what to say, checked to survive being written down.
func steerText(c *urfave.Command) (string, error) {
	args := c.Args().Slice()
	if len(args) == 1 && !c.Bool("eof") {
		return "", wantsText(c)
	}
	if len(args) > 2 {
		return "", cli.Fail(cli.Usage, "%s takes one text, but got %d", c.FullName(), len(args)-1).WithTry("quotes around the text")
	}
	if len(args) == 1 {
		return "", nil
	}
	text := args[1]
	if text == "-" {
		b, err := io.ReadAll(io.LimitReader(os.Stdin, journal.MaxRecordBytes))
		if err != nil {
			return "", fmt.Errorf("read the text: %w", err)
		}
		text = string(b)
	} else if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text, checkText(text)
}

func checkText(text string) error {
	if !utf8.ValidString(text) {
		return cli.Fail(cli.Usage, "the text is not valid UTF-8")
	}
	const room = journal.MaxRecordBytes - 64<<10
	if b, err := json.Marshal(text); err != nil || len(b) > room {
		return cli.Fail(cli.Usage, "the text needs %d bytes, one command holds at most %d", len(b), room).WithTry("several steer commands")
	}
	return nil
}

func (m *message) report(v cli.View, asJSON bool) error {
	state, bytes := "waiting", int64(0)
	if m.outcome != nil {
		state, bytes = "delivered", m.outcome.Bytes
		if m.lost() != nil {
			state = "lost"
		} else if m.outcome.Type == journal.EventSteerQueued {
			state = "queued"
		}
	}
	if asJSON {
		if err := cli.PrintJSON(map[string]any{"version": cli.ViewVersion, "id": m.command.RunID, "command": m.command.ID, "state": state, "bytes": bytes}); err != nil {
			return err
		}
	}
	switch {
	case state == "lost" && v.IsAgent():
		return withContinue(v, cli.Fail(cli.Refused, "not taken: %s", m.outcome.Error))
	case state == "lost":
		return cli.Fail(cli.Refused, "not delivered, %d of %d bytes were taken: %s", bytes, len(m.command.Text), m.outcome.Error)
	case asJSON:
	case v.IsAgent() && state == "waiting":
		fmt.Fprintln(os.Stderr, "accepted; the agent has not taken it in yet")
	case state == "queued":
		fmt.Fprintln(os.Stderr, m.outcome.Error)
	case v.IsAgent():
		fmt.Fprintln(os.Stderr, "the agent has taken it in")
	case state == "waiting":
		fmt.Fprintf(os.Stderr, "accepted; the child has not read it yet\n")
	case m.command.EOF && m.command.Text == "":
		fmt.Fprintln(os.Stderr, "closed the run's stdin")
	default:
		fmt.Fprintf(os.Stderr, "delivered %d bytes\n", bytes)
	}
	return nil
}
