// Command delegate hands work to a child that outlives its caller.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
)

func main() {
	cli.RunRole()
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is an error to tell of, not a death
	os.Exit(cli.Report(run(context.Background(), os.Args[1:])))
}
