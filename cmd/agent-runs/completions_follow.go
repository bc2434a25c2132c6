package main

import (
	"context"
	"errors"
	"os"
	"os/signal"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
)

// follow shows each completion as it comes, until another attaches.
func (t *tidings) follow(ctx context.Context) error {
	if err := os.MkdirAll(t.home.Outstanding(t.owner), 0o700); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	keeper := cli.NewKeeper(ctx, t.home)
	err := ipc.AwaitChange(ctx, func() (bool, error) {
		if err := t.fence.Check(); err != nil {
			return false, err
		}
		ended, live, err := cli.Waiting(t.home, t.owner, t.seen)
		if err == nil {
			err = t.tell(ended)
		}
		keeper.Watch(live > 0)
		return t.full(), err
	}, t.home.Owner(t.owner), t.home.Outstanding(t.owner))
	if errors.Is(err, context.Canceled) {
		return cli.Fail(cli.Interrupted, "the following was interrupted; the runs go on")
	}
	return err
}

// followedHome is the home for those who wait for what is to come: it is made
// if it is not there yet.
func followedHome() (journal.Home, error) {
	dir, err := journal.HomeDir(os.Getenv)
	if err != nil {
		return journal.Home{}, cli.Fail(cli.Usage, "%v", err)
	}
	if _, err := journal.OpenHome(dir); err != nil {
		return journal.Home{}, cli.Fail(cli.Usage, "%v", err)
	}
	return cli.ReaderHome()
}
