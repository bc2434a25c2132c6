package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/supervisor"
	urfave "github.com/urfave/cli/v3"
)

func versionCommand() *urfave.Command {
	return &urfave.Command{
		Name:  "version",
		Usage: "print the version of this program",
		Flags: []urfave.Flag{jsonFlag()},
		Action: func(_ context.Context, c *urfave.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if c.Bool("json") {
				return cli.PrintJSON(map[string]any{"version": cli.ViewVersion, "build": supervisor.Build(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
			}
			_, err := fmt.Printf("agent-runs %s %s/%s\n", supervisor.Build(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
