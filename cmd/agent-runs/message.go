package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
	urfave "github.com/urfave/cli/v3"
)

// deliveryPatience is how long a command waits for the child to take what was
// accepted. A child may take its time: that is no failure.
const deliveryPatience = time.Second

// message is one order to a live run on its way.
type message struct {
	home    journal.Home
	command journal.Command
	from    int64 // where the run's events went on when it was posted

	admission *journal.Admission
	outcome   *journal.Event // what became of it; nil while the child has not taken it
}

// target is the run that a command is about, on behalf of one who may.
func target(c *urfave.Command, ref string) (h journal.Home, a actor, v cli.View, err error) {
	if a, err = actorOf(c); err != nil {
		return h, a, v, err
	}
	if h, err = cli.Home(); err != nil {
		return h, a, v, err
	}
	id, err := cli.Resolve(h, ref, a.owner)
	if err != nil {
		return h, a, v, err
	}
	if v, err = cli.Brief(h, id); err != nil {
		return h, a, v, err
	}
	return h, a, v, a.may(v)
}

// newMessage completes an order. It is fenced to the incarnation of the run
// that was seen, if there was one.
func newMessage(h journal.Home, a actor, v cli.View, c journal.Command) *message {
	now := time.Now().UTC()
	c.Version, c.ID, c.RunID, c.Actor, c.Force, c.CreatedAt = journal.Version, journal.NewID(now), v.ID, a.owner, a.force, now
	if v.Process != nil {
		c.Incarnation = v.Process.Token
	}
	m := &message{home: h, command: c}
	if info, err := os.Stat(h.File(v.ID, journal.EventsFile)); err == nil {
		m.from = info.Size()
	}
	return m
}

// admit posts the order and waits for the answer to it.
func (m *message) admit(ctx context.Context) error {
	if err := order(m.home, m.command); err != nil {
		return err
	}
	err := m.await(ctx, m.admitted)
	if errors.Is(err, context.Canceled) {
		return cli.Fail(cli.Interrupted, "the waiting was interrupted; the order is on its way to run %s", m.command.RunID)
	}
	return err
}

// refusal is the answer as an error, unless the order was accepted.
func (m *message) refusal() *cli.Error {
	if m.admission.State == journal.Accepted {
		return nil
	}
	return cli.Fail(cli.Refused, "%s: %s", m.admission.State, m.admission.Reason)
}

// deliver waits a while for what becomes of an accepted order.
func (m *message) deliver(ctx context.Context) error {
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
		if e.Command != m.command.ID {
			continue
		}
		switch e.Type {
		case journal.EventSteered, journal.EventSteerQueued, journal.EventSteerLost, journal.EventInterrupted, journal.EventAnswered:
			m.outcome = &e
		}
	}
	m.from = next
	return m.outcome != nil, err
}

// lost is what kept an accepted order from the child, if anything did.
func (m *message) lost() *journal.Event {
	if m.outcome != nil && m.outcome.Type == journal.EventSteerLost {
		return m.outcome
	}
	return nil
}
