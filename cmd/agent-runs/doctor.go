package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

func doctorCommand() *urfave.Command {
	return &urfave.Command{
		Name:        "doctor",
		Usage:       "say what works here, what does not, and why",
		Description: "Exits 1 if something is broken. What is degraded works, but less well.",
		Flags:       []urfave.Flag{jsonFlag()},
		Action: func(_ context.Context, c *urfave.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			// What names no home at all leaves nothing to examine.
			if _, err := journal.HomeDir(os.Getenv); err != nil {
				return cli.Fail(cli.Usage, "%v", err)
			}
			return printDiagnosis(c, examine(os.Getenv))
		},
	}
}

// States of a finding.
const (
	findingOK       = "ok"
	findingDegraded = "degraded"
	findingBroken   = "broken"
)

// finding is one line of the diagnosis.
type finding struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Note  string `json:"note"`
	Try   string `json:"try,omitempty"`
}

// diagnosis is the JSON shape of doctor.
type diagnosis struct {
	Version  int       `json:"version"`
	State    string    `json:"state"` // the worst of all
	Findings []finding `json:"findings"`
}

func (d *diagnosis) add(name, state, note, try string) {
	d.Findings = append(d.Findings, finding{name, state, note, try})
	if state == findingBroken || state == findingDegraded && d.State == findingOK {
		d.State = state
	}
}

func (d *diagnosis) ok(name, note string)       { d.add(name, findingOK, note, "") }
func (d *diagnosis) degraded(name, note string) { d.add(name, findingDegraded, note, "") }
func (d *diagnosis) broken(name, note string)   { d.add(name, findingBroken, note, "") }

func printDiagnosis(c *urfave.Command, d *diagnosis) error {
	if c.Bool("json") {
		if err := cli.PrintJSON(d); err != nil {
			return err
		}
	} else {
		t, flush := table()
		for _, f := range d.Findings {
			fmt.Fprintf(t, "%s\t%s\t%s\n", f.State, f.Name, strings.ReplaceAll(f.Note, "\n", " "))
			if f.Try != "" {
				fmt.Fprintf(t, "\t\ttry: %s\n", f.Try)
			}
		}
		if err := flush(); err != nil {
			return err
		}
	}
	if d.State == findingBroken {
		return &cli.Error{Code: cli.RunFailed}
	}
	return nil
}
