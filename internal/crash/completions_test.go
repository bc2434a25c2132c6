//go:build linux

package crash

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
)

// settledRun makes a run that is over for everybody.
func (p *place) settledRun() {
	p.t.Helper()
	p.ordinary()
	until(p.t, "the run is over", p.quiet)
}

// judgeCompletions: every run that ended is waiting to be acknowledged or was,
// is shown once, and never again afterwards. Its events begin with its
// creation and end with its result.
func (p *place) judgeCompletions() {
	p.t.Helper()
	p.judgeEvents()
	p.compare("before they are acknowledged", p.lines("completions", "-q"))
	p.lines("completions", "--ack", "all")
	for _, id := range p.runIDs() {
		if p.owes(id) && !there(p.home.File(id, journal.AcknowledgedFile)) {
			p.t.Errorf("run %s: nobody took note of its end", id)
		}
	}
	p.compare("when all are acknowledged", p.lines("completions", "-q"))
	left, err := os.ReadDir(p.home.Outstanding("user"))
	if err != nil && !os.IsNotExist(err) || len(left) > 0 {
		p.t.Errorf("marks are left: %v, %v", left, err)
	}
}

func (p *place) compare(when string, shown []string) {
	p.t.Helper()
	for _, id := range p.runIDs() {
		times, want := 0, 0
		for _, s := range shown {
			if s == id {
				times++
			}
		}
		if p.owes(id) && !there(p.home.File(id, journal.AcknowledgedFile)) {
			want = 1
		}
		if times != want {
			p.t.Errorf("%s the completion of run %s is shown %d times and not %d", when, id, times, want)
		}
	}
}

// unasked reports whether a run is a task of a plan whose asker died before it
// asked for it: nobody was told of it, and nobody is.
func (p *place) unasked(id string) bool {
	var l journal.Launch
	return journal.Read(p.home.File(id, journal.LaunchFile), &l) == nil && l.PlanID != "" &&
		!there(p.home.Command(l.PlanID)) && !there(p.home.Admission(l.PlanID))
}

// owes reports whether a run is over and was nobody's part.
func (p *place) owes(id string) bool {
	var l journal.Launch
	return p.done(id) && (journal.Read(p.home.File(id, journal.LaunchFile), &l) != nil || l.PartOf == "")
}

func (p *place) judgeEvents() {
	p.t.Helper()
	types := map[string][]string{}
	for _, line := range p.lines("events", "--json") {
		var e struct {
			Type, RunID string
			Result      struct{ ID string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			p.t.Errorf("%v in %q", err, line)
		}
		if e.Result.ID != "" && e.Result.ID != e.RunID {
			p.t.Errorf("run %s ends with the result of %s", e.RunID, e.Result.ID)
		}
		types[e.RunID] = append(types[e.RunID], e.Type)
	}
	ends := []string{"completed", "failed", "stopped", "blocked"}
	for _, id := range p.runIDs() {
		all := types[id]
		ended := slices.ContainsFunc(all, func(t string) bool { return slices.Contains(ends, t) })
		if ended != p.done(id) || len(all) > 0 && all[0] != "created" || ended && !slices.Contains(ends, all[len(all)-1]) ||
			there(p.home.File(id, journal.LaunchFile)) && len(all) == 0 && !p.unasked(id) {
			p.t.Errorf("run %s: its events are %v", id, all)
		}
	}
}

// lines runs a command that must succeed and returns what it printed.
func (p *place) lines(args ...string) []string {
	p.t.Helper()
	c := p.runs(args...)
	if code := c.wait(); code != 0 {
		p.t.Errorf("agent-runs %v: exit code %d: %s", args, code, c.err.String())
	}
	return strings.Split(strings.TrimSpace(c.out.String()), "\n")
}
