package journal_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestJudge is the verdict in full: every kind of end by every kind of order.
func TestJudge(t *testing.T) {
	zero, seven, kill := 0, 7, 9
	ends := map[string]journal.Exit{
		"never ran":      {LaunchError: &journal.LaunchError{Stage: "exec"}},
		"code 0":         {Code: &zero},
		"code 7":         {Code: &seven},
		"signal 9":       {Signal: &kill},
		"out of memory":  {Signal: &kill, OOMKills: 2},
		"not all of it":  {Code: &seven, OOMKills: 1}, // it saw another's end before its own
		"done before":    {Code: &zero, OOMKills: 1},
		"forks denied":   {Code: &seven, ForksDenied: 1},
		"unknown":        {Observed: journal.ObservedIdentityGone},
		"host restarted": {Observed: journal.ObservedHostRestarted},
	}
	type verdict struct{ status, cause string }
	own := map[string]verdict{ // without an order of ours that came in time
		"never ran":      {"failed", "spawn"},
		"code 0":         {"completed", ""},
		"code 7":         {"failed", "exit"},
		"signal 9":       {"failed", "signal"},
		"out of memory":  {"failed", "memory_limit"},
		"not all of it":  {"failed", "memory_limit"},
		"done before":    {"completed", ""},
		"forks denied":   {"failed", "exit"},
		"unknown":        {"failed", "lost"},
		"host restarted": {"failed", "host-restarted"},
	}
	for name, exit := range ends {
		exit.At = noon
		for order, stop := range map[string]*journal.Stop{
			"no order":       nil,
			"an order after": {Cause: "timeout", At: noon.Add(time.Nanosecond)},
			"an order then":  {Cause: "timeout", At: noon},
			"one before":     {Cause: "timeout", At: noon.Add(-time.Hour)},
		} {
			want := own[name]
			if stop != nil && !stop.At.After(noon) && name != "host restarted" {
				want = verdict{"stopped", "timeout"}
			}
			status, cause := journal.Judge(stop, exit)
			require.Equal(t, want, verdict{status, cause}, "%s, %s", name, order)
		}
	}
}

// pick is one way the records of a run can be.
type pick struct {
	result, exit, process, stop, admission string
	commanded, askerAlive, atWork          bool
}

var (
	results    = []string{"", "completed", "failed", "stopped", "damaged"}
	exits      = []string{"", "code 0", "signal", "damaged"}
	processes  = []string{"", "there", "damaged"}
	stops      = []string{"", "there", "damaged"}
	admissions = []string{"", journal.Accepted, journal.Stale, journal.Rejected, "damaged"}
)

func (p pick) records() journal.Records {
	r := journal.Records{ID: "x", Commanded: p.commanded}
	damage := func(file, how string) bool {
		if how == "damaged" {
			r.Damaged = append(r.Damaged, journal.Damage{File: file, Error: "torn"})
		}
		return how != "" && how != "damaged"
	}
	if damage(journal.ResultFile, p.result) {
		r.Result = &journal.Result{Status: p.result, Cause: "why"}
	}
	if damage(journal.ExitFile, p.exit) {
		n := 0
		r.Exit = &journal.Exit{At: noon, Code: &n}
		if p.exit == "signal" {
			r.Exit = &journal.Exit{At: noon, Signal: &n}
		}
	}
	if damage(journal.ProcessFile, p.process) {
		r.Process = &journal.Process{}
	}
	if damage(journal.StopFile, p.stop) {
		r.Stop = &journal.Stop{Cause: journal.CauseCancelled, At: noon.Add(-time.Second)}
	}
	if damage("x.json", p.admission) {
		r.Admission = &journal.Admission{State: p.admission}
	}
	return r
}

func (p pick) facts() journal.Facts {
	return journal.Facts{AskerAlive: p.askerAlive, AtWork: p.atWork}
}

func everyPick(f func(pick)) {
	for _, result := range results {
		for _, exit := range exits {
			for _, process := range processes {
				for _, stop := range stops {
					for _, admission := range admissions {
						for i := range 8 {
							f(pick{result, exit, process, stop, admission, i&1 != 0, i&2 != 0, i&4 != 0})
						}
					}
				}
			}
		}
	}
}

var order = []journal.Phase{journal.PhaseQueued, journal.PhaseStarting, journal.PhaseRunning, journal.PhaseStopping, journal.PhaseTerminal}

// TestDeriveLaws walks every combination of records.
func TestDeriveLaws(t *testing.T) {
	everyPick(func(p pick) {
		r := p.records()
		before, err := json.Marshal(r)
		require.NoError(t, err)
		s := journal.Derive(r, p.facts())
		require.Equal(t, s, journal.Derive(r, p.facts()), "the same records, another answer: %+v", p)
		after, err := json.Marshal(r)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after), "Derive changed what it read: %+v", p)

		neverRan := r.Exit == nil && r.Process == nil && r.Stop == nil && (p.admission == journal.Stale || p.admission == journal.Rejected ||
			r.Admission == nil && !p.commanded && !p.askerAlive && !p.atWork)
		require.Equal(t, r.Result != nil || r.Terminal() && !p.atWork || neverRan, s.Phase == journal.PhaseTerminal, "terminal iff there is a result or nothing will ever come: %+v gave %+v", p, s)
		if s.Phase == journal.PhaseTerminal {
			require.Contains(t, []string{"completed", "failed", "stopped"}, s.Status, "%+v", p)
		} else {
			require.Equal(t, string(s.Phase), s.Status, "%+v", p)
		}
		if r.Result != nil {
			require.Equal(t, r.Result.Status, s.Status, "a result has the last word: %+v", p)
		}
		if s.Status == "completed" {
			require.True(t, p.result == "completed" || p.exit == "code 0", "success that nobody saw: %+v", p)
		}
	})
}

// TestDeriveOnlyGoesForward adds records in the order in which they are
// written: no step may take the phase back.
func TestDeriveOnlyGoesForward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pick{commanded: true, askerAlive: rapid.Bool().Draw(t, "asker")}
		stopAt := rapid.IntRange(0, 5).Draw(t, "stop comes after step")
		exit := rapid.SampledFrom([]string{"code 0", "signal"}).Draw(t, "exit")
		steps := []func(){
			func() { p.admission = journal.Accepted },
			func() { p.process = "there" },
			func() { p.exit = exit },
			func() { p.result = "stopped" },
			func() { p.commanded = false },
		}
		last := 0
		look := func() {
			s := journal.Derive(p.records(), p.facts())
			at := slices.Index(order, s.Phase)
			require.GreaterOrEqual(t, at, last, "%+v went back to %s", p, s.Phase)
			last = at
		}
		for i, step := range steps {
			if i == stopAt && i > 0 {
				p.stop = "there"
				look()
			}
			step()
			look()
		}
	})
}
