package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/plans"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

// inspectPlan shows a plan and its tasks.
func inspectPlan(c *urfave.Command, h journal.Home, v cli.View) error {
	if c.IsSet("offset") || c.IsSet("length") {
		return cli.NoPlan(v, "a plan has no final text")
	}
	p, err := plans.With(h, v)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return cli.PrintJSON(p)
	}
	if err := printPlan(p); err != nil || v.Phase == journal.PhaseTerminal {
		return err
	}
	return cli.NoteUnattended(h)
}

func printPlan(p plans.View) error {
	t, flush := table()
	now := time.Now()
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(t, "%s\t%s\n", name, value)
		}
	}
	l := p.Launch.Plan
	row("plan", p.ID)
	row("name", p.Name)
	row("owner", p.Owner)
	row("status", statusLine(p.View))
	row("tasks", p.Plan.Words())
	row("file", l.File)
	row("cwd", p.Launch.Cwd)
	row("limits", planLimits(l.Limits))
	row("goes on from", p.Predecessor)
	row("goes on in", p.Successor)
	row("created", moment(p.CreatedAt, now))
	row("ended", moment(p.EndedAt, now))
	row("usage", planUsage(p.Result))
	for _, d := range p.Damaged {
		row("damaged", d.Error)
	}
	row("go on", strings.Join(planGoOn(p), " · "))
	if err := flush(); err != nil {
		return err
	}
	fmt.Println()
	t, flush = table()
	taskTable(t, p.Tasks, now)
	return flush()
}

func taskTable(t io.Writer, tasks []cli.Task, now time.Time) {
	fmt.Fprintln(t, "TASK\tRUN\tSTATUS\tTOOK\tNEEDS")
	for _, x := range tasks {
		took := "-"
		switch {
		case x.StartedAt == nil || x.Over() && x.EndedAt == nil:
		case x.EndedAt != nil:
			took = cli.Took(x.EndedAt.Sub(*x.StartedAt))
		default:
			took = cli.Took(now.Sub(*x.StartedAt))
		}
		status := x.Words
		if x.Done {
			status += ", before"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", x.ID, x.RunID, status, took, orDash(strings.Join(x.Needs, ", ")))
	}
}

func planLimits(l journal.PlanLimits) string {
	var words []string
	if l.Concurrency > 0 {
		words = append(words, fmt.Sprintf("%d at once", l.Concurrency))
	}
	if l.MaxDurationMS > 0 {
		words = append(words, "duration "+(time.Duration(l.MaxDurationMS)*time.Millisecond).String())
	}
	if l.MaxTokens > 0 {
		words = append(words, fmt.Sprintf("tokens %d", l.MaxTokens))
	}
	if l.MaxCostUSD > 0 {
		words = append(words, fmt.Sprintf("cost $%g", l.MaxCostUSD))
	}
	return strings.Join(words, ", ")
}

// planUsage is what all tasks used together.
func planUsage(r *journal.Result) string {
	if r == nil || r.LifeUsage == nil {
		return ""
	}
	return strings.Trim(tokenWords(*r.LifeUsage)+", "+costWords(*r.LifeUsage), ", ")
}

// planGoOn lists the commands that make sense with a plan now.
func planGoOn(p plans.View) []string {
	switch {
	case p.Phase != journal.PhaseTerminal:
		return []string{"agent-runs wait " + p.ID, "agent-runs stop " + p.ID}
	case p.Successor != "":
		return []string{"agent-runs inspect " + p.Successor}
	case p.Status != journal.StatusCompleted:
		return []string{"agent-runs continue " + p.ID, "agent-runs rm " + p.ID}
	}
	return []string{"agent-runs rm " + p.ID}
}
