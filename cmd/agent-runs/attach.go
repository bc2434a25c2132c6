package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	urfave "github.com/urfave/cli/v3"
)

const attachWords = `Gives the owner a new generation. Whoever acts under an older one is refused
from then on: "completions" and "detach" with --generation, or with
AGENT_RUNS_GENERATION in the environment. Runs go on whether anybody is
attached or not, and what ended meanwhile waits: see "completions".`

func attachCommand() *urfave.Command {
	return &urfave.Command{
		Name:        "attach",
		Usage:       "take over an owner's completions from whoever had them",
		Description: attachWords,
		Flags: []urfave.Flag{
			ownerFlag(),
			&urfave.IntFlag{Name: "pid", Usage: "the process that attaches is `PID` (default: the one that runs this command)", HideDefault: true},
			jsonFlag(), &urfave.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print the generation only"},
		},
		Action: attach,
	}
}

// attached is the JSON shape of attach.
type attached struct {
	journal.Attachment
	Waiting int `json:"waiting"` // completions that are not acknowledged
}

func attach(_ context.Context, c *urfave.Command) error {
	a, err := ownerOf(c)
	if err != nil {
		return err
	}
	pid := os.Getppid()
	if c.IsSet("pid") {
		if pid = c.Int("pid"); pid <= 0 {
			return cli.Fail(cli.Usage, "--pid %d is no process, 1 and more are accepted", pid)
		}
	}
	dir, err := journal.HomeDir(os.Getenv)
	if err != nil {
		return cli.Fail(cli.Usage, "%v", err)
	}
	h, err := journal.OpenHome(dir)
	if err != nil {
		return cli.Fail(cli.Usage, "%v", err)
	}
	next, err := renew(h, a.owner, pid)
	if err != nil {
		return err
	}
	ended, _, err := cli.Waiting(h, a.owner, nil)
	if err != nil {
		return err
	}
	return printAttached(c, attached{next, len(ended)})
}

// renew replaces the attachment by one of the next generation.
func renew(h journal.Home, owner string, pid int) (journal.Attachment, error) {
	next := journal.Attachment{Version: journal.Version, Owner: owner, PID: pid, Attached: true}
	if id, err := launch.IdentityOf(pid); err == nil {
		next.Identity = &id
	}
	lock, err := cli.LockOwner(h, owner)
	if err != nil {
		return next, err
	}
	defer lock.Close()
	last, err := cli.AttachmentOf(h, owner)
	next.At = time.Now().UTC()
	journal.SweepTemporaries(h.Owner(owner), time.Minute, next.At) // of those who were killed at it
	next.Generation = last.Generation + 1
	if journal.IsDamaged(err) {
		// Which one was the last is lost. One that is larger than any that was
		// counted up keeps all older ones out.
		fmt.Fprintf(os.Stderr, "note: %v; generations go on from the time of day\n", err)
		next.Generation, err = next.At.UnixMilli(), nil
	}
	if err != nil {
		return next, err
	}
	if last.Generation == 0 { // the folder may be new
		err = errors.Join(journal.SyncDir(h.Dir), journal.SyncDir(h.Owners()))
	}
	return next, errors.Join(err, journal.Replace(h.Attachment(owner), next))
}

func printAttached(c *urfave.Command, a attached) error {
	switch {
	case c.Bool("json"):
		return cli.PrintJSON(a)
	case c.Bool("quiet"):
		_, err := fmt.Println(a.Generation)
		return err
	}
	waiting := "no completions wait"
	if a.Waiting == 1 {
		waiting = "1 completion waits"
	} else if a.Waiting > 1 {
		waiting = fmt.Sprintf("%d completions wait", a.Waiting)
	}
	_, err := fmt.Printf("attached to %q as generation %d; %s\n", a.Owner, a.Generation, waiting)
	return err
}

func detachCommand() *urfave.Command {
	return &urfave.Command{
		Name:        "detach",
		Usage:       "leave an owner's completions to whoever attaches next",
		Description: "Ends nothing but what follows completions under the same generation.",
		Flags:       []urfave.Flag{ownerFlag(), generationFlag()},
		Action:      detach,
	}
}

func detach(_ context.Context, c *urfave.Command) error {
	a, err := ownerOf(c)
	if err != nil {
		return err
	}
	h, err := cli.Home()
	if err != nil {
		return err
	}
	if last, err := cli.AttachmentOf(h, a.owner); err != nil || !last.Attached {
		if err == nil {
			_, err = fmt.Printf("nobody is attached to %q\n", a.owner)
		}
		return err
	}
	lock, err := cli.LockOwner(h, a.owner)
	if err != nil {
		return err
	}
	defer lock.Close()
	if _, err := fenceOf(c, h, a.owner); err != nil {
		return err
	}
	last, err := cli.AttachmentOf(h, a.owner)
	if err != nil {
		return err
	}
	last.Attached, last.At = false, time.Now().UTC()
	if err := journal.Replace(h.Attachment(a.owner), last); err != nil {
		return err
	}
	_, err = fmt.Printf("generation %d of %q is detached\n", last.Generation, a.owner)
	return err
}

func ownerFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "owner", Usage: "act as `OWNER` (default: AGENT_RUNS_OWNER, the calling agent's session, or \"user\")"}
}

func generationFlag() urfave.Flag {
	return &urfave.Int64Flag{Name: "generation", Usage: "act under attachment `G` (default: " + cli.GenerationVariable + ", else the newest)", HideDefault: true}
}

// ownerOf is actorOf for commands that take no arguments.
func ownerOf(c *urfave.Command) (actor, error) {
	if err := noArguments(c); err != nil {
		return actor{}, err
	}
	return actorOf(c)
}

func fenceOf(c *urfave.Command, h journal.Home, owner string) (cli.Fence, error) {
	var given *int64
	if c.IsSet("generation") {
		g := c.Int64("generation")
		given = &g
	}
	return cli.NewFence(h, owner, c.IsSet("owner"), given)
}
