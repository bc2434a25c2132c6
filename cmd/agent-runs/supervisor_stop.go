package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/supervisor"
	urfave "github.com/urfave/cli/v3"
)

// supervisorPatience is how long a supervisor may take to leave or to come.
const supervisorPatience = 15 * time.Second

func supervisorStop(ctx context.Context, c *urfave.Command, h journal.Home) error {
	v, err := seeSupervisor(h)
	if err != nil {
		return err
	}
	did := "no supervisor was running"
	if v.Running {
		did = "the supervisor has left"
		if err := sendAway(ctx, h); err != nil {
			return err
		}
		if v, err = seeSupervisor(h); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return cli.PrintJSON(v.shape())
	}
	_, err = fmt.Println(did + goingOn(v.Runs))
	return err
}

// goingOn says what becomes of the live runs.
func goingOn(runs int) string {
	switch runs {
	case 0:
		return ""
	case 1:
		return "; 1 live run goes on, whose " + cli.Unenforced
	}
	return fmt.Sprintf("; %d live runs go on, whose %s", runs, cli.Unenforced)
}

func supervisorRestart(ctx context.Context, c *urfave.Command, h journal.Home) error {
	h, err := journal.OpenHome(h.Dir)
	if err != nil {
		return cli.Fail(cli.Usage, "%v", err)
	}
	v, err := seeSupervisor(h)
	if err != nil {
		return err
	}
	before := ""
	if v.Supervisor != nil {
		before = v.Incarnation
	}
	if v.Running {
		if err := sendAway(ctx, h); err != nil {
			return err
		}
	}
	if err := supervised(h); err != nil {
		return err
	}
	if err := awaitAnother(ctx, h, before); err != nil {
		return err
	}
	if v, err = seeSupervisor(h); err != nil {
		return err
	}
	return printSupervisor(c, v)
}

// sendAway asks the supervisor that is there now to leave, and no other, and
// returns when its process has ended.
func sendAway(ctx context.Context, h journal.Home) error {
	s, err := announced(ctx, h)
	if err != nil {
		return err
	}
	process, err := launch.Open(s.Identity)
	if errors.Is(err, launch.ErrGone) {
		return cli.Fail(cli.Refused, "the supervisor died just now").WithTry("agent-runs supervisor status")
	}
	if err != nil {
		return err
	}
	defer process.Close()
	owner, err := cli.Owner("")
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	leave := journal.Command{Version: journal.Version, ID: journal.NewID(now), Action: journal.ActionLeave, Actor: owner, Incarnation: s.Incarnation, CreatedAt: now}
	if err := ipc.Post(h, leave); err != nil {
		return err
	}
	return awaitLeft(ctx, h, process, s.Incarnation)
}

// announced returns the supervisor that holds the home. One that is starting
// is given the time to say who it is.
func announced(ctx context.Context, h journal.Home) (s journal.Supervisor, err error) {
	ctx, cancel := context.WithTimeout(ctx, supervisorPatience)
	defer cancel()
	err = ipc.AwaitChange(ctx, func() (bool, error) {
		err := journal.Read(h.Supervisor(), &s)
		if err == nil && present(s) {
			return true, nil
		}
		if free, e := cli.Unsupervised(h); e != nil || free {
			return true, errors.Join(e, cli.Fail(cli.Refused, "the supervisor left just now").WithTry("agent-runs supervisor status"))
		}
		return false, nil
	}, h.Dir)
	if errors.Is(err, context.DeadlineExceeded) {
		err = cli.Fail(cli.Refused, "the supervisor does not say who it is; see %s", h.SupervisorLog())
	}
	return s, err
}

// awaitLeft waits for the end of the process and tells a supervisor that left,
// because of our order or of somebody else's, from one that died.
func awaitLeft(ctx context.Context, h journal.Home, process *launch.Handle, incarnation string) error {
	ctx, cancel := context.WithTimeout(ctx, supervisorPatience)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.Canceled) {
			return cli.Fail(cli.Interrupted, "the waiting was interrupted; the order stands")
		}
		return cli.Fail(cli.Unproven, "the supervisor (pid %d) has not left; the order stands", process.ID.PID)
	}
	var s journal.Supervisor
	err := journal.Read(h.Supervisor(), &s)
	if err == nil && s.Incarnation == incarnation && s.State == journal.SupervisorRunning {
		return cli.Fail(cli.Refused, "the supervisor died before it saw the order").WithTry("agent-runs supervisor status")
	}
	return err
}

// awaitAnother waits until a supervisor of another incarnation has announced
// itself.
func awaitAnother(ctx context.Context, h journal.Home, before string) error {
	ctx, cancel := context.WithTimeout(ctx, supervisorPatience)
	defer cancel()
	err := supervisor.AwaitChange(ctx, h, func() (bool, error) {
		var s journal.Supervisor
		err := journal.Read(h.Supervisor(), &s)
		if errors.Is(err, journal.ErrMissing) || errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return s.Incarnation != before && s.State == journal.SupervisorRunning, err
	}, h.Dir)
	if errors.Is(err, context.DeadlineExceeded) {
		return cli.Fail(cli.RunFailed, "no supervisor came; see %s", h.SupervisorLog())
	}
	return err
}
