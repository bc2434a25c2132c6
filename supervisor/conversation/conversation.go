package conversation

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/runtimes"
)

// Conversation is the talk of one run. It is not for use by more than one
// goroutine at a time.
type Conversation struct {
	*agent.Fold
	out  *os.File
	said *saidLog
	buf  []byte
}

// TaskOf is what a launch record asks of an agent.
func TaskOf(l journal.Launch) agent.Task {
	return agent.Task{Agent: *l.Agent, RunID: l.ID, Cwd: l.Cwd, Context: l.Context}
}

// Read makes the conversation anew from the files, for reading only. watch is
// told everything that was heard, in order; it may be nil.
func Read(h journal.Home, l journal.Launch, watch func(agent.Event)) (*Conversation, error) {
	c, err := begin(h, l, watch)
	if err != nil {
		return nil, err
	}
	said, err := ReadSaid(h.File(l.ID, journal.SaidFile))
	if err != nil {
		return nil, err
	}
	return c, c.recall(h, l.ID, said)
}

// Open is Read for the one who goes on with it.
func Open(h journal.Home, l journal.Launch, watch func(agent.Event)) (*Conversation, error) {
	c, err := begin(h, l, watch)
	if err != nil {
		return nil, err
	}
	log, said, err := openSaid(h, l.ID)
	if err != nil {
		return nil, err
	}
	c.said = log
	if err := c.recall(h, l.ID, said); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// begin takes the prompt that the run was started with: what it needed may be
// in it, of which the launch record does not know.
func begin(h journal.Home, l journal.Launch, watch func(agent.Event)) (*Conversation, error) {
	r := runtimes.Of(l.Program.Runtime)
	if r == nil || l.Agent == nil {
		return nil, fmt.Errorf("run %s: there is no runtime %q here", l.ID, l.Program.Runtime)
	}
	if len(l.Needs) > 0 {
		started, err := journal.ReadLaunch(h, l.ID)
		if err != nil {
			return nil, err
		}
		l = *started
	}
	return &Conversation{Fold: agent.NewFold(r, TaskOf(l), watch), buf: make([]byte, 64<<10)}, nil
}

func (c *Conversation) recall(h journal.Home, id string, said []journal.Said) error {
	var err error
	c.out, err = os.Open(h.File(id, journal.StdoutFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	c.Recall(said)
	if err := c.CatchUp(); err != nil {
		return err
	}
	c.Recalled()
	return nil
}

// CatchUp folds what the agent has said since.
func (c *Conversation) CatchUp() error {
	if c.out == nil {
		return nil // it was never started
	}
	for {
		n, err := c.out.ReadAt(c.buf, c.Next())
		c.Write(c.buf[:n])
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// Say writes messages down as said, up to the first that cannot be. One that
// was said before is passed over. They reach the agent when they are moved there.
func (c *Conversation) Say(now time.Time, messages ...agent.Message) error {
	for _, m := range messages {
		if c.WasSaid(m.Key) {
			continue
		}
		s, err := c.said.add(m, c.Heard, now)
		if err != nil {
			return err
		}
		c.Said(s)
	}
	return nil
}

// End is up to where what was said is to be moved to the agent.
func (c *Conversation) End() int64 { return c.said.end }

// Close lets go of the files.
func (c *Conversation) Close() {
	if c.out != nil {
		c.out.Close()
	}
	if c.said != nil {
		c.said.close()
	}
}
