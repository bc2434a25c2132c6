package main

import (
	"fmt"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
)

// verifyRows tell how a run is or was verified, a line each check.
func verifyRows(v cli.View, row func(name, value string)) {
	if v.Launch == nil {
		return
	}
	row("part of", v.Launch.PartOf)
	if v.Launch.Verify == nil {
		return
	}
	if v.Result == nil || len(v.Result.Verified) == 0 {
		for _, c := range v.Launch.Verify.Commands {
			row("verify", "to be run: "+cli.CommandLine([]string{"sh", "-c", c}, sheetWidth))
		}
		return
	}
	for _, c := range v.Result.Verified {
		how := "passed"
		switch {
		case c.Passed:
		case c.Code != nil:
			how = fmt.Sprintf("failed with exit code %d", *c.Code)
		default:
			how = "failed: " + cli.Shorten(c.Error, sheetWidth)
		}
		row("verify", fmt.Sprintf("%s in %s: %s (round %d, run %s)", how, cli.Took(time.Duration(c.DurationMS)*time.Millisecond),
			cli.CommandLine([]string{"sh", "-c", c.Command}, sheetWidth), c.Attempt, c.RunID))
	}
	for _, id := range v.Result.FollowUps {
		row("mended by", id)
	}
}
