package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
)

// maxNamedRuns bounds how many damaged runs are named.
const maxNamedRuns = 10

// runs reads every record there is.
func (d *diagnosis) runs(h journal.Home) {
	ids, err := journal.RunIDs(h)
	if err != nil {
		d.broken("records", err.Error())
		return
	}
	var damaged []string
	for _, id := range ids {
		r, err := journal.LoadRun(h, id)
		switch {
		case err != nil && !os.IsNotExist(err):
			damaged = append(damaged, err.Error())
		case len(r.Damaged) > 0:
			damaged = append(damaged, r.Damaged[0].Error)
		}
	}
	if len(damaged) == 0 {
		d.ok("records", fmt.Sprintf("%d runs, none damaged", len(ids)))
		return
	}
	note := fmt.Sprintf("%d of %d runs are damaged: ", len(damaged), len(ids))
	if n := len(damaged) - maxNamedRuns; n > 0 {
		damaged = append(damaged[:maxNamedRuns], fmt.Sprintf("and %d more", n))
	}
	d.broken("records", note+strings.Join(damaged, "; "))
}

// leftBehind names what something put aside or could not finish.
func (d *diagnosis) leftBehind(h journal.Home) {
	if names, err := os.ReadDir(h.Damaged()); err == nil && len(names) > 0 {
		d.degraded("set aside", fmt.Sprintf("%d files that were no commands are in %s", len(names), h.Damaged()))
	}
	trash, err := cli.Unfinished(h)
	switch {
	case err != nil:
		d.broken("removals", err.Error())
	case len(trash) > 0:
		d.add("removals", findingDegraded, fmt.Sprintf("%d were interrupted", len(trash)), "agent-runs prune")
	}
}
