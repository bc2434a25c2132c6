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
	commandWidth = 60
)

func listCommand() *urfave.Command {
	return &urfave.Command{
		Name:  "list",
		Usage: "list runs, newest first",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "all", Usage: "list the runs of every owner"},
			&urfave.StringFlag{Name: "owner", Usage: "list the runs of `OWNER` (default: one's own)"},
			&urfave.StringFlag{Name: "status", Usage: "list only runs that are " + strings.Join(cli.Statuses, ", ")},
			&urfave.IntFlag{Name: "limit", Value: defaultLimit, Usage: "list at most `N` runs"},
			&urfave.StringFlag{Name: "cursor", Usage: "go on where the page before ended"},
			jsonFlag(), quietFlag(),
		},
		Action: func(_ context.Context, c *urfave.Command) error {
			q, err := queryOf(c)
			if err != nil {
				return err
			}
			h, err := cli.ReaderHome()
			if err != nil {
				return err
			}
			runs, next, err := cli.List(h, q)
			if err != nil {
				return err
			}
			return printList(c, q, runs, next)
		},
	}
}

func queryOf(c *urfave.Command) (q cli.Query, err error) {
	if err := noArguments(c); err != nil {
		return q, err
	}
	q = cli.Query{Status: c.String("status"), Limit: c.Int("limit"), Cursor: strings.ToUpper(c.String("cursor"))}
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

// page is the JSON shape of a listing.
type page struct {
	Version int        `json:"version"`
	Runs    []cli.View `json:"runs"`
	Next    string     `json:"next,omitempty"`
}

func printList(c *urfave.Command, q cli.Query, runs []cli.View, next string) error {
	switch {
	case c.Bool("json"):
		if runs == nil {
			runs = []cli.View{}
		}
		return cli.PrintJSON(page{cli.ViewVersion, runs, next})
	case c.Bool("quiet"):
		for _, v := range runs {
			fmt.Println(v.ID)
		}
		return nil
	}
	if len(runs) > 0 {
		if err := printTable(runs, q.Owner == ""); err != nil {
			return err
		}
	}
	if next != "" {
		fmt.Fprintf(os.Stderr, "there are more: --cursor %s\n", next)
	}
	return nil
}

func printTable(runs []cli.View, owners bool) error {
	t, flush := table()
	now := time.Now()
	head := "ID\tNAME\tSTATUS\tAGE\tTOOK\tCOMMAND"
	if owners {
		head = "ID\tOWNER\tNAME\tSTATUS\tAGE\tTOOK\tCOMMAND"
	}
	fmt.Fprintln(t, head)
	for _, v := range runs {
		row := []string{v.ID}
		if owners {
			row = append(row, dash(v.Owner))
		}
		fmt.Fprintln(t, strings.Join(append(row, dash(v.Name), statusWords(v), ageOf(v, now), tookOf(v, now), commandOf(v, commandWidth)), "\t"))
	}
	return flush()
}

// statusWords is the status with what matters of its cause.
func statusWords(v cli.View) string {
	s := v.Status
	switch {
	case v.Exit != nil && v.Exit.Code != nil && v.Status == journal.StatusFailed:
		s += fmt.Sprintf(" (exit %d)", *v.Exit.Code)
	case v.Exit != nil && v.Exit.Signal != nil && v.Status == journal.StatusFailed:
		s += " (" + v.Exit.SignalName + ")"
	case v.Cause != "" && v.Cause != journal.CauseCancelled:
		s += " (" + v.Cause + ")"
	}
	if v.Exit != nil && v.Exit.Tree == journal.TreeUnproven {
		s += ", unproven"
	}
	if len(v.Damaged) > 0 {
		s += ", damaged"
	}
	return s
}

func ageOf(v cli.View, now time.Time) string {
	if v.CreatedAt == nil {
		return "-"
	}
	return cli.Age(*v.CreatedAt, now)
}

func tookOf(v cli.View, now time.Time) string {
	switch {
	case v.StartedAt == nil:
		return "-"
	case v.EndedAt != nil:
		return cli.Took(v.EndedAt.Sub(*v.StartedAt))
	case v.Phase == journal.PhaseTerminal:
		return "-"
	}
	return cli.Took(now.Sub(*v.StartedAt))
}

func commandOf(v cli.View, width int) string {
	if v.Launch == nil {
		return "-"
	}
	return cli.CommandLine(v.Launch.Program.Argv, width)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return cli.CommandLine([]string{s}, 40)
}
