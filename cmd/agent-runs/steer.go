package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
	urfave "github.com/urfave/cli/v3"
)

// deliveryPatience is how long steer waits for the child to read. A child may
// take its time: that is no failure.
const deliveryPatience = time.Second

func steerCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "steer",
		Usage:     "say something to a run",
		ArgsUsage: "ID [--] TEXT|-",
		Description: `A plain command gets TEXT on its stdin, if that was left open (delegate --stdin
open), with a newline at its end. "-" passes on what this command reads from its
own stdin, as it is. A TEXT that begins with a dash goes behind "--".`,
		Flags:         append(actorFlags(forceWords), &urfave.BoolFlag{Name: "eof", Usage: "let the run read the end of its stdin after TEXT, which may be missing then"}, jsonFlag()),
		ShellComplete: completeRuns,
		Action:        steer,
	}
}

// message is one steer command on its way.
type message struct {
	home    journal.Home
	command journal.Command
	from    int64 // where the run's events went on when it was posted

	admission *journal.Admission
	outcome   *journal.Event // steered or steer_lost; nil while the child has not read it
}

func steer(ctx context.Context, c *urfave.Command) error {
	text, err := steerText(c)
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
	id, err := cli.Resolve(h, c.Args().First(), a.owner)
	if err != nil {
		return err
	}
	v, err := cli.Brief(h, id)
	if err != nil {
		return err
	}
	if err := a.may(v); err != nil {
		return err
	}
	if v.Phase == journal.PhaseTerminal {
		return cli.Fail(cli.Refused, "run %s is over: %s", id, v.Ending())
	}
	m := newMessage(h, a, v, text, c.Bool("eof"))
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if err := m.send(ctx); err != nil {
		return err
	}
	return m.report(c.Bool("json"))
}

// steerText is what to say, checked to survive being written down.
func steerText(c *urfave.Command) (string, error) {
	args := c.Args().Slice()
	if len(args) == 0 || len(args) == 1 && !c.Bool("eof") {
		return "", cli.Fail(cli.Usage, "%s needs a run and a text", c.FullName()).WithTry("%s ID TEXT, or --eof without a text", c.FullName())
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

// newMessage is fenced to the incarnation that was seen, if there was one.
func newMessage(h journal.Home, a actor, v cli.View, text string, eof bool) *message {
	now := time.Now().UTC()
	m := &message{home: h, command: journal.Command{Version: journal.Version, ID: journal.NewID(now), RunID: v.ID, Action: journal.ActionSteer,
		Actor: a.owner, Force: a.force, Text: text, EOF: eof, CreatedAt: now}}
	if v.Process != nil {
		m.command.Incarnation = v.Process.Token
	}
	if info, err := os.Stat(h.File(v.ID, journal.EventsFile)); err == nil {
		m.from = info.Size()
	}
	return m
}

// send posts the message and waits for its answer and, for a while, for its
// delivery.
func (m *message) send(ctx context.Context) error {
	if err := order(m.home, m.command); err != nil {
		return err
	}
	if err := m.await(ctx, m.admitted); err != nil {
		if errors.Is(err, context.Canceled) {
			return cli.Fail(cli.Interrupted, "the waiting was interrupted; the text is on its way to run %s", m.command.RunID)
		}
		return err
	}
	if m.admission.State != journal.Accepted {
		return cli.Fail(cli.Refused, "%s: %s", m.admission.State, m.admission.Reason)
	}
	ctx, cancel := context.WithTimeout(ctx, deliveryPatience)
	defer cancel()
	err := m.await(ctx, m.delivered)
	if err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

func (m *message) await(ctx context.Context, done func() (bool, error)) error {
	return supervisor.Await(ctx, m.home, done)
}

func (m *message) admitted() (bool, error) {
	a, err := ipc.Admission(m.home, m.command.ID)
	if errors.Is(err, journal.ErrMissing) {
		return false, nil
	}
	m.admission = a
	return err == nil, err
}

func (m *message) delivered() (bool, error) {
	events, next, err := journal.ReadEvents(m.home.File(m.command.RunID, journal.EventsFile), m.from)
	for _, e := range events {
		if e.Command == m.command.ID && (e.Type == journal.EventSteered || e.Type == journal.EventSteerLost) {
			m.outcome = &e
		}
	}
	m.from = next
	return m.outcome != nil, err
}

func (m *message) report(asJSON bool) error {
	state, bytes := "waiting", int64(0)
	if m.outcome != nil {
		state, bytes = "delivered", m.outcome.Bytes
		if m.outcome.Type == journal.EventSteerLost {
			state = "lost"
		}
	}
	if asJSON {
		if err := cli.PrintJSON(map[string]any{"version": cli.ViewVersion, "id": m.command.RunID, "command": m.command.ID, "state": state, "bytes": bytes}); err != nil {
			return err
		}
	}
	switch {
	case state == "lost":
		return cli.Fail(cli.Refused, "not delivered, %d of %d bytes were taken: %s", bytes, len(m.command.Text), m.outcome.Error)
	case asJSON:
	case state == "waiting":
		fmt.Fprintf(os.Stderr, "accepted; the child has not read it yet\n")
	case m.command.EOF && m.command.Text == "":
		fmt.Fprintln(os.Stderr, "closed the run's stdin")
	default:
		fmt.Fprintf(os.Stderr, "delivered %d bytes\n", bytes)
	}
	return nil
}
