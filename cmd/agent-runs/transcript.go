package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/talk"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

// transcript prints what an agent and we said to each other.
func transcript(ctx context.Context, c *urfave.Command, h journal.Home, v cli.View) error {
	if c.IsSet("offset") || c.IsSet("length") {
		return cli.Fail(cli.Usage, "a transcript has no --offset and --length; run %s is an agent's", v.ID).WithTry("--raw with them, or agent-runs inspect --offset N %s for its last word", v.ID)
	}
	p := &talk.Printer{To: os.Stdout}
	var last tail
	if c.IsSet("tail") {
		last.lines = c.Int("tail")
		p.To = &last
	}
	r, err := talk.Open(h, v.Launch, p.Ear())
	if err != nil {
		return cli.Fail(cli.RunFailed, "run %s: %v", v.ID, err).WithTry("--raw")
	}
	defer r.Close()
	err = r.Advance()
	if c.IsSet("tail") {
		p.To = os.Stdout
		_, e := os.Stdout.Write(last.text)
		err = errors.Join(err, e)
	}
	if err = errors.Join(err, p.Err); err != nil || !c.Bool("follow") {
		return err
	}
	return followTranscript(ctx, h, v.ID, r, p)
}

func followTranscript(ctx context.Context, h journal.Home, id string, r *talk.Reader, p *talk.Printer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	err := cli.ReaderAwait(h)(ctx, func() (bool, error) {
		over := cli.Exited(h, id) || cli.Settled(h, id) // before the reading: what comes after it was written before
		return over, errors.Join(r.Advance(), p.Err)
	}, h.Run(id))
	if errors.Is(err, context.Canceled) {
		return cli.Fail(cli.Interrupted, "the following was interrupted; run %s goes on", id).WithTry("agent-runs stop %s", id)
	}
	return err
}

// tail keeps the last lines of what is written to it.
type tail struct {
	lines int
	text  []byte
}

var _ io.Writer = (*tail)(nil)

func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	at, err := cli.TailOffset(bytes.NewReader(t.text), int64(len(t.text)), t.lines)
	t.text = t.text[at:]
	return len(b), err
}
