//go:build linux

package crash

import (
	"os"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
)

// judge has package check decide, when everything has come to its end.
func (p *place) judge() {
	p.t.Helper()
	until(p.t, "every command is complete", func() bool { return p.open() == 0 })
	for _, v := range p.truth.Violations() {
		p.t.Error(v)
	}
}

// printed reports whether a run's output has this.
func (p *place) printed(id, text string) bool {
	out, _ := os.ReadFile(p.home.File(id, journal.StdoutFile))
	return strings.Contains(string(out), text)
}

// open counts the commands whose effect is not complete.
func (p *place) open() int {
	names, err := os.ReadDir(p.home.Commands())
	if err != nil {
		return 0
	}
	return len(slices.DeleteFunc(names, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") }))
}

// quiet reports whether everything that was asked for is over.
func (p *place) quiet() bool {
	ids := p.runIDs()
	return len(ids) > 0 && p.open() == 0 && !slices.ContainsFunc(p.calls, (*call).running) &&
		!slices.ContainsFunc(ids, func(id string) bool { return !p.done(id) })
}

// events counts those of one type in all runs.
func (p *place) events(kind string) (n int) {
	for _, id := range p.runIDs() {
		list, _, err := journal.ReadEvents(p.home.File(id, journal.EventsFile), 0)
		if err != nil {
			p.t.Fatal(err)
		}
		for _, e := range list {
			if e.Type == kind {
				n++
			}
		}
	}
	return n
}
