package main

import (
	"context"
	"fmt"
	"strings"
	"unicode"

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
		if plainWord(r.Name) {
			word = r.Name
		}
		fmt.Fprintf(c.Root().Writer, "%s:%s\n", word, strings.TrimSpace(r.Status+" "+r.Command))
	}
}

// completeWords offers words besides the flags.
func completeWords(ctx context.Context, c *urfave.Command, words ...string) {
	urfave.DefaultCompleteWithFlags(ctx, c)
	if args := c.Args().Slice(); len(args) > 0 && strings.HasPrefix(args[len(args)-1], "-") {
		return
	}
	for _, word := range words {
		fmt.Fprintln(c.Root().Writer, word)
	}
}

// plainWord reports whether a name means itself in every shell: what is
// offered is put into the command line as it is.
func plainWord(s string) bool {
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("-_./", r)
	}
	return s != "" && s[0] != '-' && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) })
}
