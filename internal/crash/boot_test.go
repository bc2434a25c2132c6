//go:build linux

package crash

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
)

// TestHostRestarted gives a home whose processes are all gone the boot id of
// another boot: its runs ended with the machine, and the records say so.
func TestHostRestarted(t *testing.T) {
	p := newPlace(t)
	over := p.delegate(nil, p.child("work", "0")...)
	over.wait()
	over.id()
	until(t, "the first run is over", func() bool { return p.done(over.id()) })
	id := p.reader()
	p.killAll()
	p.removeCgroups()
	for _, path := range []string{p.home.Supervisor(), p.home.File(id, journal.ProcessFile)} {
		p.edit(path, func(m map[string]any) {
			m["identity"].(map[string]any)["bootId"] = "00000000-0000-4000-8000-000000000000"
			if shim, ok := m["shim"].(map[string]any); ok {
				shim["identity"].(map[string]any)["bootId"] = "00000000-0000-4000-8000-000000000000"
			}
		})
	}
	// What a power cut may take of what is not synced at once: the command.
	if err := os.Remove(p.home.Command(id)); err != nil {
		t.Fatal(err)
	}
	p.ordinary()
	until(t, "the run is settled", func() bool { return p.done(id) })
	var r journal.Result
	var e journal.Exit
	if err := journal.Read(p.home.File(id, journal.ResultFile), &r); err != nil || r.Status != journal.StatusFailed || r.Cause != journal.CauseHostRestarted {
		t.Errorf("result %s (%s), %v", r.Status, r.Cause, err)
	}
	if err := journal.Read(p.home.File(id, journal.ExitFile), &e); err != nil || e.Observed != journal.ObservedHostRestarted || e.Tree != journal.TreeEmpty || e.Code != nil || e.Signal != nil {
		t.Errorf("exit %+v, %v", e, err)
	}
	if err := journal.Read(p.home.File(over.id(), journal.ResultFile), &r); err != nil || r.Status != journal.StatusCompleted {
		t.Errorf("the run that was over before: %s, %v", r.Status, err)
	}
	p.truth.ShimKilled[id] = true
	p.judge()
	// It may take the marks as well.
	if err := os.RemoveAll(p.home.Outstanding("user")); err != nil {
		t.Fatal(err)
	}
	p.judgeCompletions()
}

// killAll ends every process of the place, as the end of the machine would.
func (p *place) killAll() {
	p.t.Helper()
	var list []proc
	for _, pid := range p.inhabitants() {
		if q, live := statOf(pid); live {
			list = append(list, q)
		}
	}
	p.kill(list)
}

// edit changes a record where it is.
func (p *place) edit(path string, change func(map[string]any)) {
	p.t.Helper()
	var m map[string]any
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	change(m)
	if b, err = json.Marshal(m); err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
