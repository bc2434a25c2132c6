package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	urfave "github.com/urfave/cli/v3"
)

// completeRuns offers the newest runs of one's own besides the flags.
func completeRuns(ctx context.Context, c *urfave.Command) {
	urfave.DefaultCompleteWithFlags(ctx, c)
	if !strings.HasPrefix(typed(c), "-") {
		cli.OfferRuns(c.Root().Writer)
	}
}

// completeNames offers commands.
func completeNames(ctx context.Context, c *urfave.Command) {
	urfave.DefaultCompleteWithFlags(ctx, c)
	if !c.Args().Present() {
		offer(c.Root().Writer, names())
	}
}

// completeStatuses offers flags, and what --status takes.
func completeStatuses(ctx context.Context, c *urfave.Command) {
	urfave.DefaultCompleteWithFlags(ctx, c)
	if typed(c) == "--status" {
		offer(c.Root().Writer, cli.Statuses())
	}
}

// completeAcks offers flags, and what --ack takes.
func completeAcks(ctx context.Context, c *urfave.Command) {
	urfave.DefaultCompleteWithFlags(ctx, c)
	if w := c.Root().Writer; typed(c) == "--ack" || slices.Contains(c.Args().Slice(), "--ack") && !strings.HasPrefix(typed(c), "-") {
		offer(w, []string{"all"})
		cli.OfferRuns(w)
	}
}

// typed is the last word of the line that is complete.
func typed(c *urfave.Command) string {
	if n := c.Args().Len(); n > 0 {
		return c.Args().Get(n - 1)
	}
	return ""
}

func offer(w io.Writer, words []string) {
	for _, word := range words {
		fmt.Fprintln(w, word)
	}
}
