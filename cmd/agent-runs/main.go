// Command agent-runs shows, steers, ends and proves the runs that delegate
// started.
package main

import (
	"context"
	"os"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
)

func main() {
	cli.RunRole()
	cli.OwnUmask()
	os.Exit(cli.Report(noTopic(os.Args, command(os.Args).Run(context.Background(), os.Args))))
}
