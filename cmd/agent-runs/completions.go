package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/journal/lifecycle"
	urfave "github.com/urfave/cli/v3"
)

const completionsWords = `Every run that is over is shown until its owner acknowledges it, whatever is
killed in between; never again afterwards. With --json each is one line: the
run's last lifecycle event, see "events".

  agent-runs completions --ack ID      acknowledge this one
  agent-runs completions --ack all     acknowledge all that wait now
  agent-runs completions --follow      show those that wait, and each that comes`

func completionsCommand() *urfave.Command {
	return &urfave.Command{
		Name:        "completions",
		Usage:       "show what ended and was not acknowledged",
		ArgsUsage:   "[--ack ID...]",
		Description: completionsWords,
		Flags: []urfave.Flag{
			ownerFlag(),
			&urfave.BoolFlag{Name: "follow", Aliases: []string{"f"}, Usage: "go on for ever, or until another attaches (exit code 4)"},
			&urfave.StringSliceFlag{Name: "ack", Usage: "acknowledge `ID`, or all; with --follow, first"},
			&urfave.IntFlag{Name: "limit", Usage: "show no more than `N`, the oldest; with --follow, end then", HideDefault: true},
			generationFlag(),
			&urfave.BoolFlag{Name: "json", Usage: "print one JSON object a line"}, quietFlag(),
		},
		ShellComplete: completeAcks,
		Action:        completions,
	}
}

func completions(ctx context.Context, c *urfave.Command) error {
	acks := c.StringSlice("ack")
	if c.Args().Present() && len(acks) == 0 {
		return cli.Fail(cli.Usage, "completions shows all that wait and takes no run, but got %q", c.Args().First()).
			WithTry("agent-runs completions --ack %s, or agent-runs inspect %s", c.Args().First(), c.Args().First())
	}
	if c.IsSet("limit") && c.Int("limit") < 1 {
		return cli.Fail(cli.Usage, "--limit %d is out of range, 1 and more are accepted", c.Int("limit"))
	}
	a, err := actorOf(c)
	if err != nil {
		return err
	}
	h, err := completionsHome(c)
	if err != nil {
		return err
	}
	f, err := fenceOf(c, h, a.owner)
	if err != nil {
		return err
	}
	t := &tidings{home: h, owner: a.owner, fence: f, seen: map[string]bool{}, left: c.Int("limit"), limited: c.IsSet("limit"), print: completionPrinter(c)}
	if len(acks) > 0 {
		if err := t.acknowledge(append(acks, c.Args().Slice()...), c.Bool("follow")); err != nil || !c.Bool("follow") {
			return err
		}
	}
	if c.Bool("follow") {
		return t.follow(ctx)
	}
	if err := t.show(); err != nil {
		return err
	}
	if len(t.seen) == 0 && !c.Bool("json") && !c.Bool("quiet") {
		fmt.Fprintln(os.Stderr, "no completions wait")
	}
	return nil
}

// completionsHome is the home for those who look, or for those who wait for
// what is to come.
func completionsHome(c *urfave.Command) (journal.Home, error) {
	if c.Bool("follow") {
		return followedHome()
	}
	return cli.ReaderHome()
}

// tidings shows the completions of an owner, each once.
type tidings struct {
	home    journal.Home
	owner   string
	fence   cli.Fence
	seen    map[string]bool
	left    int // how many more are to be shown
	limited bool
	print   func(lifecycle.Event) error
}

// show prints those that wait.
func (t *tidings) show() error {
	ended, _, err := cli.Waiting(t.home, t.owner, nil)
	if err != nil {
		return err
	}
	if err := t.tell(ended); err != nil {
		return err
	}
	if rest := len(ended) - len(t.seen); rest > 0 {
		fmt.Fprintf(os.Stderr, "note: %d more wait\n", rest)
	}
	return nil
}

func (t *tidings) tell(ended []lifecycle.Event) error {
	for _, e := range ended {
		if t.full() {
			return nil
		}
		if err := t.print(e); err != nil {
			return err
		}
		t.seen[e.RunID] = true
		t.left--
	}
	return nil
}

func (t *tidings) full() bool { return t.limited && t.left <= 0 }

func completionPrinter(c *urfave.Command) func(lifecycle.Event) error {
	switch {
	case c.Bool("json"):
		return printEventJSON
	case c.Bool("quiet"):
		return func(e lifecycle.Event) error {
			_, err := fmt.Println(e.RunID)
			return err
		}
	}
	return func(e lifecycle.Event) error {
		name := ""
		if e.Name != "" {
			name = " " + e.Name
		}
		_, err := fmt.Printf("%s %s%s %s\n", e.At.Local().Format(time.DateTime), e.RunID, name, e.Type+lifeWords(e))
		return err
	}
}
