package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	urfave "github.com/urfave/cli/v3"
)

func supervisorCommand() *urfave.Command {
	sub := func(name, usage string, action func(context.Context, *urfave.Command, journal.Home) error) *urfave.Command {
		return &urfave.Command{Name: name, Usage: usage, Flags: []urfave.Flag{jsonFlag()},
			Action: func(ctx context.Context, c *urfave.Command) error {
				if err := noArguments(c); err != nil {
					return err
				}
				h, err := cli.Home()
				if err != nil {
					return err
				}
				ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
				defer stop()
				return action(ctx, c, h)
			}}
	}
	return &urfave.Command{
		Name:        "supervisor",
		Usage:       "see, send away or replace the supervisor of this home",
		Description: "It comes by itself when there is something to do and leaves when there is not.",
		Action:      noCommand,
		Commands: []*urfave.Command{
			sub("status", "show it; exits 3 if none is running", supervisorStatus),
			sub("stop", "send it away; its runs go on, but their "+cli.Unenforced, supervisorStop),
			sub("restart", "replace it; its runs go on", supervisorRestart),
		},
	}
}

// supervisorView is the JSON shape of all three.
type supervisorView struct {
	Version int  `json:"version"`
	Running bool `json:"running"`
	*journal.Supervisor
	Runs int `json:"runs"` // live ones
}

// shape is what JSON shows of it: a pid only of what runs.
func (v supervisorView) shape() map[string]any {
	m := map[string]any{"version": cli.ViewVersion, "running": v.Running, "runs": v.Runs, "pid": nil}
	if s := v.Supervisor; s != nil {
		m["incarnation"], m["state"], m["startedAt"], m["program"], m["build"] = s.Incarnation, s.State, s.StartedAt, s.Program, s.Build
		m["watch"], m["watchNote"], m["quickDeaths"] = s.Watch, s.WatchNote, s.QuickDeaths
		if v.Running {
			m["pid"] = s.PID
		}
	}
	return m
}

// seeSupervisor tells who holds the home. The record is believed only as far
// as the lock bears it out.
func seeSupervisor(h journal.Home) (supervisorView, error) {
	v := supervisorView{Version: cli.ViewVersion}
	free, err := cli.Unsupervised(h)
	if err != nil {
		return v, err
	}
	v.Running = !free
	var s journal.Supervisor
	switch err := journal.Read(h.Supervisor(), &s); {
	case err == nil && (!v.Running || present(s)):
		v.Supervisor = &s
	case err != nil && !errors.Is(err, journal.ErrMissing):
		return v, err
	}
	live, err := cli.Live(h)
	v.Runs = len(live)
	return v, err
}

// present reports whether the record is that of a live supervisor. One that is
// starting holds the lock before it has announced itself.
func present(s journal.Supervisor) bool {
	alive, err := launch.Alive(s.Identity)
	return err == nil && alive && s.State == journal.SupervisorRunning
}

func supervisorStatus(_ context.Context, c *urfave.Command, h journal.Home) error {
	v, err := seeSupervisor(h)
	if err != nil {
		return err
	}
	return printSupervisor(c, v)
}

func printSupervisor(c *urfave.Command, v supervisorView) error {
	none := cli.Fail(cli.NotFound, "no supervisor is running%s", left(v))
	if c.Bool("json") {
		if err := cli.PrintJSON(v.shape()); err != nil {
			return err
		}
		none.Msg = ""
	}
	switch {
	case !v.Running:
		return none
	case c.Bool("json"):
		return nil
	case v.Supervisor == nil:
		_, err := fmt.Printf("starting, %s\n", runsWord(v.Runs))
		return err
	}
	_, err := fmt.Printf("running, pid %d, since %s (%s), watching by %s%s, %s\n", v.PID, cli.Stamp(v.StartedAt), cli.Age(v.StartedAt, time.Now()),
		v.Watch, parenthesis(strings.TrimPrefix(v.WatchNote, v.Watch+": ")), runsWord(v.Runs))
	return err
}

func left(v supervisorView) string {
	if v.Runs == 0 {
		return ""
	}
	return fmt.Sprintf("; %s without one, whose %s", runsWord(v.Runs), cli.Unenforced)
}

func runsWord(n int) string {
	if n == 1 {
		return "1 live run"
	}
	return fmt.Sprintf("%d live runs", n)
}

func parenthesis(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
