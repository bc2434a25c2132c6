package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	urfave "github.com/urfave/cli/v3"
)

// completeRuns offers the newest runs of one's own besides the flags. A shell
// that asks for completions has no use for errors.
func completeRuns(ctx context.Context, c *urfave.Command) {
	urfave.DefaultCompleteWithFlags(ctx, c)
	if args := c.Args().Slice(); len(args) > 0 && strings.HasPrefix(args[len(args)-1], "-") {
		return
	}
	owner, err := cli.Owner("")
	if err != nil {
		return
	}
	h, err := cli.Home()
	if err != nil {
		return
	}
	ids, _, err := cli.List(h, cli.Query{Owner: owner, Limit: defaultLimit})
	if err != nil {
		return
	}
	rows, err := cli.Rows(h, ids)
	if err != nil {
		return
	}
	for _, r := range rows {
		word := r.ID
		if r.Name != "" && !strings.ContainsAny(r.Name, " :\\'\"$`") {
			word = r.Name
		}
		fmt.Fprintf(c.Root().Writer, "%s:%s\n", word, strings.TrimSpace(r.Status+" "+r.Command))
	}
}
