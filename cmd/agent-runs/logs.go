package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

func logsCommand() *urfave.Command {
	return &urfave.Command{
		Name:        "logs",
		Usage:       "print what a run wrote",
		ArgsUsage:   "ID",
		Description: "Of an agent: the transcript of what was said, made for people; --raw prints its\nown stream. Of a command, and with --raw or --stderr: byte for byte.\nWith --offset or --length prints a page, which begins and ends between two\ncharacters, and says on stderr where the next one begins.",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on until the run has ended"},
			&urfave.BoolFlag{Name: "raw", Usage: "print an agent's own stream"},
			&urfave.BoolFlag{Name: "stderr", Usage: "print what it wrote to stderr instead of stdout"},
			&urfave.IntFlag{Name: "tail", HideDefault: true, Usage: "print the last `N` lines only"},
			&urfave.Int64Flag{Name: "offset", Usage: "begin at byte `N`"},
			&urfave.Int64Flag{Name: "length", Value: cli.DefaultPage, Usage: "end after about `N` bytes"},
		},
		ShellComplete: completeRuns,
		Action:        logs,
	}
}

func logs(ctx context.Context, c *urfave.Command) error {
	ref, err := oneRun(c)
	if err != nil {
		return err
	}
	if err := checkLogs(c); err != nil {
		return err
	}
	owner, err := cli.Owner("")
	if err != nil {
		return err
	}
	h, err := cli.ReaderHome()
	if err != nil {
		return err
	}
	id, err := cli.Resolve(h, ref, owner)
	if err != nil {
		return err
	}
	v, err := cli.Brief(h, id)
	if err != nil {
		return err
	}
	if err := cli.NoPlan(v, "a plan writes nothing itself"); err != nil {
		return err
	}
	if v.IsAgent() && !c.Bool("raw") && !c.Bool("stderr") {
		return transcript(ctx, c, h, v)
	}
	if c.IsSet("length") || c.IsSet("offset") && !c.Bool("follow") {
		return logsPage(c, h, id)
	}
	return logsFrom(ctx, c, h, id)
}

func checkLogs(c *urfave.Command) error {
	switch {
	case c.IsSet("tail") && (c.IsSet("offset") || c.IsSet("length")):
		return cli.Fail(cli.Usage, "--tail excludes --offset and --length")
	case c.Bool("follow") && c.IsSet("length"):
		return cli.Fail(cli.Usage, "--follow excludes --length")
	case c.Int("tail") < 0:
		return cli.Fail(cli.Usage, "--tail %d is negative, 0 and more are accepted", c.Int("tail"))
	}
	return cli.CheckPage(c.Int64("offset"), c.Int64("length"), 0)
}

func logName(c *urfave.Command) string {
	if c.Bool("stderr") {
		return journal.StderrFile
	}
	return journal.StdoutFile
}

func logsPage(c *urfave.Command, h journal.Home, id string) error {
	f, err := os.Open(h.File(id, logName(c)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	page, err := cli.PageOf(f, c.Int64("offset"), c.Int64("length"), !cli.Settled(h, id))
	if err != nil {
		return err
	}
	if err := page.Copy(os.Stdout, f); err != nil {
		return err
	}
	if page.Next != nil {
		fmt.Fprintf(os.Stderr, "\ngo on with --offset %d\n", *page.Next)
	}
	return nil
}

func logsFrom(ctx context.Context, c *urfave.Command, h journal.Home, id string) error {
	s := &cli.Stream{Name: logName(c), To: os.Stdout}
	defer s.Close()
	if err := seek(c, h, id, s); err != nil {
		return err
	}
	if !c.Bool("follow") {
		return s.Copy(h, id)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	over := func(h journal.Home, id string) (bool, error) { return cli.Exited(h, id) || cli.Settled(h, id), nil }
	err := cli.FollowUntil(ctx, cli.Attended(h), over, h, id, s)
	if errors.Is(err, context.Canceled) {
		return cli.Fail(cli.Interrupted, "the following was interrupted; run %s goes on", id).WithTry("agent-runs stop %s", id)
	}
	return err
}

func seek(c *urfave.Command, h journal.Home, id string, s *cli.Stream) error {
	offset := c.Int64("offset")
	if c.IsSet("tail") {
		f, err := os.Open(h.File(id, s.Name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer f.Close()
		size, err := f.Seek(0, io.SeekEnd)
		if err != nil {
			return err
		}
		if offset, err = cli.TailOffset(f, size, c.Int("tail")); err != nil {
			return err
		}
	}
	if offset == 0 {
		return nil
	}
	err := s.Seek(h, id, offset)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
