package main

import (
	"errors"
	"os"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/supervisor"
)

// order posts commands to a home that is supervised. The supervisor comes
// first: what nobody would carry out is not written down.
func order(h journal.Home, commands ...journal.Command) error {
	if err := supervised(h); err != nil {
		return err
	}
	self, err := launch.IdentityOf(os.Getpid())
	if err != nil {
		return err
	}
	for i := range commands {
		commands[i].Asker = &self
	}
	return ipc.Post(h, commands...)
}

func supervised(h journal.Home) error {
	err := supervisor.Ensure(h)
	if errors.Is(err, supervisor.ErrInsideRun) {
		return cli.Fail(cli.Refused, "%v", err).WithTry("any agent-runs command from outside the run")
	}
	return err
}
