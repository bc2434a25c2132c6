package main

import (
	"slices"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/internal/placeholder"
	"github.com/agent-runs/agent-runs/journal"
)

// need puts into the launch record which runs it needs, and into its text which
// of them each placeholder means. doom says which of them ended in a way that
// keeps the run from ever starting.
func (w *work) need(h journal.Home, l *journal.Launch) (doom string, err error) {
	if len(w.needs) == 0 {
		return "", nil
	}
	meant := map[string]string{}
	for _, ref := range w.needs {
		id, err := cli.Resolve(h, ref, l.Owner)
		if err != nil {
			return "", err
		}
		meant[ref] = id
		if slices.Contains(l.Needs, id) {
			continue
		}
		l.Needs = append(l.Needs, id)
		v, err := cli.Brief(h, id)
		if err != nil {
			return "", err
		}
		if v.Phase == journal.PhaseTerminal && v.Status != journal.StatusCompleted && doom == "" {
			doom = "run " + id + ", which it needs, " + v.Ending()
		}
	}
	return doom, w.pin(meant)
}

// pin writes the ids of runs into placeholders: what was typed may come to mean
// another run.
func (w *work) pin(meant map[string]string) (err error) {
	put := func(text string) string {
		return placeholder.Replace(text, func(r placeholder.Ref) string {
			if id, ok := meant[r.ID]; ok {
				r.ID = id
			} else if r.ID != "" && err == nil {
				err = cli.Fail(cli.Usage, "%v: --needs does not name %q", r, r.ID).WithTry("--needs %s", cli.CommandLine([]string{r.ID}, 200))
			}
			return r.String()
		})
	}
	if w.agent != nil {
		w.agent.Prompt = put(w.agent.Prompt)
	}
	for i := range w.argv {
		w.argv[i] = put(w.argv[i])
	}
	return err
}
