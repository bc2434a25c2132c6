package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

const (
	defaultLimit = 20
	maxLimit     = 100_000
)

func listCommand() *urfave.Command {
	return &urfave.Command{
		Name:  "list",
		Usage: "list runs, newest first",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "all", Usage: "list the runs of every owner"},
			&urfave.StringFlag{Name: "owner", Usage: "list the runs of `OWNER` (default: one's own)"},
			&urfave.StringFlag{Name: "status", Usage: "list only runs that are " + strings.Join(cli.Statuses(), ", ")},
			&urfave.BoolFlag{Name: "parts", Usage: "list the runs that checked or mended another, too, with its id before their command"},
			&urfave.IntFlag{Name: "limit", Value: defaultLimit, Usage: "list at most `N` runs"},
			&urfave.StringFlag{Name: "cursor", Usage: "go on where the page before ended"},
			jsonFlag(), quietFlag(),
		},
		ShellComplete: completeStatuses,
		Action: func(_ context.Context, c *urfave.Command) error {
			q, err := queryOf(c)
			if err != nil {
				return err
			}
			h, err := cli.ReaderHome()
			if err != nil {
				return err
			}
			ids, next, err := cli.List(h, q)
			if err != nil {
				return err
			}
			return printList(c, h, q, ids, next)
		},
	}
}

func queryOf(c *urfave.Command) (q cli.Query, err error) {
	if err := noArguments(c); err != nil {
		return q, err
	}
	q = cli.Query{Status: c.String("status"), Parts: c.Bool("parts"), Limit: c.Int("limit"), Cursor: strings.ToUpper(c.String("cursor"))}
	switch {
	case c.Bool("all") && c.IsSet("owner"):
		return q, cli.Fail(cli.Usage, "--all and --owner exclude each other")
	case q.Limit < 1 || q.Limit > maxLimit:
		return q, cli.Fail(cli.Usage, "--limit %d is out of range, 1 to %d are accepted", q.Limit, maxLimit)
	case c.IsSet("cursor") && !journal.ValidID(q.Cursor):
		return q, cli.Fail(cli.Usage, "--cursor %q is none; the page before ends with one", c.String("cursor"))
	}
	if c.IsSet("status") {
		if err := cli.CheckStatus(q.Status); err != nil {
			return q, err
		}
	}
	if !c.Bool("all") {
		var a actor
		if a, err = actorOf(c); err == nil {
			q.Owner = a.owner
		}
	}
	return q, err
}

func printList(c *urfave.Command, h journal.Home, q cli.Query, ids []string, next string) error {
	switch {
	case c.Bool("json"):
		views, err := cli.Views(h, ids)
		if err != nil {
			return err
		}
		return pageOf(views, next).print()
	case c.Bool("quiet"):
		if len(ids) == 0 {
			return nil
		}
		_, err := fmt.Println(strings.Join(ids, "\n"))
		return err
	}
	rows, err := cli.Rows(h, ids)
	if err != nil {
		return err
	}
	if len(rows) > 0 {
		if err := printTable(rows, q.Owner == ""); err != nil {
			return err
		}
	}
	if next != "" {
		fmt.Fprintf(os.Stderr, "there are more: --cursor %s\n", next)
	}
	return cli.NoteUnattended(h)
}

func printTable(rows []cli.Row, owners bool) error {
	t, flush := table()
	now := time.Now()
	owner := func(s string) string {
		if !owners {
			return ""
		}
		return s + "\t"
	}
	fmt.Fprintf(t, "ID\t%sNAME\tSTATUS\tAGE\tTOOK\tRUNTIME\tCOMMAND\n", owner("OWNER"))
	for _, r := range rows {
		took := "-"
		if d, ok := r.Took(now); ok {
			took = cli.Took(d)
		}
		fmt.Fprintf(t, "%s\t%s%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, owner(label(r.Owner)), label(r.Name), r.Status, cli.Age(r.Created, now), took, orDash(r.Runtime), orDash(r.Command))
	}
	return flush()
}

// label shows a name that a record may have been made to bear.
func label(s string) string {
	if s == "" {
		return "-"
	}
	return cli.CommandLine([]string{s}, 40)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
