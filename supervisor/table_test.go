package supervisor

import (
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/states.md")

func everyPair(f func(s State, e Event)) {
	for s := range states {
		for e := range events {
			f(s, e)
		}
	}
}

// TestEveryPairIsDecided: a cell, or a reason why there is none, never both.
func TestEveryPairIsDecided(t *testing.T) {
	everyPair(func(s State, e Event) {
		reason := ignored[s][e]
		if table[s][e] == nil {
			require.NotEmpty(t, reason, "%v × %v has neither a cell nor a reason", s, e)
		} else {
			require.Empty(t, reason, "%v × %v has both", s, e)
		}
	})
	for s, row := range ignored {
		require.Less(t, s, states)
		for e := range row {
			require.Less(t, e, events)
		}
	}
	require.Len(t, stateNames, int(states))
	require.Len(t, eventNames, int(events))
}

func TestSettledIsAbsorbing(t *testing.T) {
	for e := range events {
		next, do := Step(Settled, e)
		require.Equal(t, Settled, next, "%v", e)
		require.Empty(t, do, "%v", e)
	}
}

// TestSettlingAndOnlyThatWritesAVerdict: a run gets its result exactly when it
// becomes settled, by one action.
func TestSettlingAndOnlyThatWritesAVerdict(t *testing.T) {
	everyPair(func(s State, e Event) {
		next, do := Step(s, e)
		verdicts := 0
		for _, a := range do {
			if a == DoSettle || a == DoWithdraw || a == DoBlock {
				verdicts++
			}
		}
		want := 0
		if next == Settled && s != Settled {
			want = 1
		}
		require.Equal(t, want, verdicts, "%v × %v", s, e)
	})
}

// TestEveryStateIsReachedAndLeft: no dead cell of the table, and each state
// has a way to its end.
func TestEveryStateIsReachedAndLeft(t *testing.T) {
	reached := map[State]bool{Queued: true}
	for range states {
		everyPair(func(s State, e Event) {
			if next, _ := Step(s, e); reached[s] {
				reached[next] = true
			}
		})
	}
	ends := map[State]bool{Settled: true}
	for range states {
		everyPair(func(s State, e Event) {
			if next, _ := Step(s, e); ends[next] {
				ends[s] = true
			}
		})
	}
	for s := range states {
		require.True(t, reached[s], "%v cannot be reached", s)
		require.True(t, ends[s], "%v has no way out", s)
	}
}

const longest = 8

// path is what happened to one run: the events that had a cell, and the
// actions they led to.
type path struct {
	events  []Event
	actions []Action
	state   State
}

// everyPath walks all sequences of events up to the longest.
func everyPath(visit func(p path)) {
	var walk func(p path)
	walk = func(p path) {
		visit(p)
		if len(p.events) == longest {
			return
		}
		for e := range events {
			if table[p.state][e] == nil {
				continue // it changes nothing
			}
			next, do := Step(p.state, e)
			walk(path{append(slices.Clip(p.events), e), append(slices.Clip(p.actions), do...), next})
		}
	}
	walk(path{})
}

// TestNeverTwice is P2: when it is known that the program was started, by the
// shim's report or by the record a dead shim left, nothing launches it again.
func TestNeverTwice(t *testing.T) {
	everyPath(func(p path) {
		state, started := Queued, false
		for _, e := range p.events {
			next, do := Step(state, e)
			if started && slices.Contains(do, DoLaunch) {
				t.Fatalf("%v launches again", p.events)
			}
			if table[state][e] != nil && (e == EvStarted || e == EvShimLost) {
				started = true
			}
			state = next
		}
	})
}

// TestOrderBeforeDeed: the order to end a run is durable before the first
// signal, so that no crash makes an exit of ours look like the child's own. An
// agent that has answered needs none: its answer is the verdict.
func TestOrderBeforeDeed(t *testing.T) {
	everyPath(func(p path) {
		recorded := slices.Index(p.actions, DoRecordStop)
		if answered := slices.Index(p.actions, DoLeave); answered >= 0 && (recorded < 0 || recorded > answered) {
			recorded = answered
		}
		for _, a := range []Action{DoAsk, DoTerm, DoForce, DoWithdraw} {
			if at := slices.Index(p.actions, a); at >= 0 && (recorded < 0 || recorded > at) {
				t.Fatalf("%v does %v before the order is recorded", p.events, a)
			}
		}
	})
}

// TestKindnessBeforeForce: KILL comes only after TERM and a grace that was
// armed, and every KILL is followed by waiting for the proof.
func TestKindnessBeforeForce(t *testing.T) {
	everyPath(func(p path) {
		at := slices.Index(p.actions, DoForce)
		if at < 0 {
			return
		}
		before := p.actions[:at]
		if !slices.Contains(before, DoAsk) && !slices.Contains(before, DoTerm) || !slices.Contains(before, DoArmGrace) || !slices.Contains(p.actions, DoArmPatience) {
			t.Fatalf("%v goes %v", p.events, p.actions)
		}
	})
}

// TestWithdrawnMeansNeverStarted: each launch has one outcome, so a retry can
// only come while one is open. Along such paths nothing that was started ends
// as withdrawn.
func TestWithdrawnMeansNeverStarted(t *testing.T) {
	everyPath(func(p path) {
		state, open, started := Queued, false, false
		for _, e := range p.events {
			if outcome := e == EvRetry || e == EvStarted; outcome && !open {
				return
			} else if outcome {
				open = false
			}
			next, do := Step(state, e)
			started = started || e == EvStarted || e == EvShimLost && table[state][e] != nil
			open = open && e != EvShimLost || slices.Contains(do, DoLaunch)
			if started && slices.Contains(do, DoWithdraw) {
				t.Fatalf("%v withdraws what was started", p.events)
			}
			state = next
		}
	})
}

// TestTableIsDocumented keeps docs/states.md printed from the table.
func TestTableIsDocumented(t *testing.T) {
	const file = "../docs/states.md"
	want := "# What the supervisor does about one run\n\n" +
		"Printed from the table in `supervisor/table.go` by `go test ./supervisor -update`; a test holds the two together.\n" +
		"The states are the supervisor's own: the phase that people see is derived from the records.\n\n" + Table()
	if *update {
		require.NoError(t, os.MkdirAll("../docs", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(have), "run go test ./supervisor -update")
}
