package settings

import (
	"reflect"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

// TestEveryLimitIsInTheTable: a limit of the record that the table forgot
// would have no ceiling.
func TestEveryLimitIsInTheTable(t *testing.T) {
	var l journal.Limits
	for i, x := range limits {
		require.Zero(t, x.get(&l), x.name)
		x.set(&l, float64(i+1))
		require.EqualValues(t, i+1, x.get(&l), x.name)
	}
	for i := range reflect.TypeFor[journal.Limits]().NumField() {
		require.False(t, reflect.ValueOf(l).Field(i).IsZero(), reflect.TypeFor[journal.Limits]().Field(i).Name)
	}
}

func TestCombine(t *testing.T) {
	agent := journal.Limits{MaxTurns: 30, ReservedTurns: 2, MaxDurationMS: 1_800_000, GraceMS: 5_000, StartupMS: 60_000, IdleMS: 600_000}
	with := func(l journal.Limits, change func(*journal.Limits)) journal.Limits {
		change(&l)
		return l
	}
	for name, c := range map[string]struct {
		file  string
		ask   Ask
		want  journal.Limits
		notes string
	}{
		"an agent's defaults": {`{}`, Ask{Agent: true}, agent, ""},
		"one that queues": {`{}`, Ask{Agent: true, Queued: true},
			with(agent, func(l *journal.Limits) { l.MaxQueueWaitMS = 900_000 }), ""},
		"a plain command":            {`{"limits":{"output":"1MB","tokens":1}}`, Ask{}, journal.Limits{GraceMS: 5_000}, ""},
		"a plain command that waits": {`{}`, Ask{Queued: true}, journal.Limits{GraceMS: 5_000, MaxQueueWaitMS: 900_000}, ""},
		"settings over defaults": {`{"limits":{"turns":9,"cost":0.5,"reservedTurns":0,"grace":"0s"}}`, Ask{Agent: true},
			with(agent, func(l *journal.Limits) { l.MaxTurns, l.MaxCostUSD, l.ReservedTurns, l.GraceMS = 9, 0.5, 0, 0 }), ""},
		"the call over settings": {`{"limits":{"turns":9}}`, Ask{Agent: true, GraceGiven: true, Limits: journal.Limits{MaxTurns: 50}},
			with(agent, func(l *journal.Limits) { l.MaxTurns, l.GraceMS = 50, 0 }), ""},
		"a ceiling over the call": {`{"ceilings":{"turns":20}}`, Ask{Agent: true, Limits: journal.Limits{MaxTurns: 50}},
			with(agent, func(l *journal.Limits) { l.MaxTurns = 20 }), "--x 50 is above the ceiling: it is 20 (ceilings.turns in /global)"},
		"a ceiling over a default is not worth a word": {`{"ceilings":{"turns":20,"grace":"1s"}}`, Ask{Agent: true},
			with(agent, func(l *journal.Limits) { l.MaxTurns, l.GraceMS = 20, 1000 }), ""},
		"a call below the ceiling": {`{"ceilings":{"turns":20}}`, Ask{Agent: true, Limits: journal.Limits{MaxTurns: 20}},
			with(agent, func(l *journal.Limits) { l.MaxTurns = 20 }), ""},
		"a ceiling over nothing": {`{"ceilings":{"tokens":1000,"cost":2,"output":"1MB","memory":"1GB","processes":64}}`, Ask{Agent: true},
			with(agent, func(l *journal.Limits) {
				l.MaxTokens, l.MaxCostUSD, l.MaxOutputBytes, l.MaxMemoryBytes, l.MaxProcesses = 1000, 2, 1<<20, 1<<30, 64
			}), ""},
		"ceilings of a plain command": {`{"ceilings":{"tokens":1000,"turns":1,"idle":"1s","queueWait":"1s","duration":"1h","output":"1MB"}}`, Ask{Limits: journal.Limits{MaxDurationMS: 7_200_000}},
			journal.Limits{GraceMS: 5_000, MaxDurationMS: 3_600_000, MaxOutputBytes: 1 << 20}, "--x 2h is above the ceiling: it is 1h (ceilings.duration in /global)"},
		"a wait that a plain command gave": {`{"ceilings":{"queueWait":"1s"}}`, Ask{Limits: journal.Limits{MaxQueueWaitMS: 5000}},
			journal.Limits{GraceMS: 5_000, MaxQueueWaitMS: 1000}, "--x 5s is above the ceiling: it is 1s (ceilings.queueWait in /global)"},
		"one turn is not reserved": {`{}`, Ask{Agent: true, Limits: journal.Limits{MaxTurns: 1}},
			with(agent, func(l *journal.Limits) { l.MaxTurns, l.ReservedTurns = 1, 0 }), ""},
		"reserved turns of a setting and turns of a call": {`{"limits":{"reservedTurns":90}}`, Ask{Agent: true, Limits: journal.Limits{MaxTurns: 50}},
			with(agent, func(l *journal.Limits) { l.MaxTurns, l.ReservedTurns = 50, 25 }), "limits.reservedTurns 90 (/global) is more than half of 50 turns: it is 25"},
		"both of one setting": {`{"limits":{"reservedTurns":8,"turns":9}}`, Ask{Agent: true},
			with(agent, func(l *journal.Limits) { l.MaxTurns, l.ReservedTurns = 9, 8 }), ""},
		"reserved turns over default turns": {`{"limits":{"reservedTurns":29}}`, Ask{Agent: true},
			with(agent, func(l *journal.Limits) { l.ReservedTurns = 15 }), "limits.reservedTurns 29 (/global) is more than half of 30 turns: it is 15"},
		"default reserved turns": {`{}`, Ask{Agent: true, Limits: journal.Limits{MaxTurns: 3}},
			with(agent, func(l *journal.Limits) { l.MaxTurns = 3 }), ""},
		"a number that no float holds": {`{}`, Ask{Agent: true, Limits: journal.Limits{MaxTokens: 1<<63 - 1}},
			with(agent, func(l *journal.Limits) { l.MaxTokens = 1<<63 - 1 }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := merge(layers(c.file, "", ""))
			require.Empty(t, s.Warnings)
			got, lowered := s.Combine(c.ask)
			require.Equal(t, c.want, got)
			var notes []string
			for _, l := range lowered {
				notes = append(notes, l.Words("--x"))
			}
			require.Equal(t, c.notes, strings.Join(notes, "\n"))
		})
	}
}

func TestCap(t *testing.T) {
	s := merge(layers(`{"limits":{"turns":1,"cost":1},"ceilings":{"turns":20,"tokens":1000,"queueWait":"1s"}}`, "", ""))
	got, lowered := s.Cap(journal.Limits{MaxTurns: 30, ReservedTurns: 2, GraceMS: 0, IdleMS: 5})
	require.Equal(t, journal.Limits{MaxTurns: 20, ReservedTurns: 2, IdleMS: 5, MaxTokens: 1000}, got)
	require.Len(t, lowered, 1)
	require.Equal(t, "limits.turns 30 is above the ceiling: it is 20 (ceilings.turns in /global)", lowered[0].Words("limits.turns"))
}

// TestNothingExceedsACeiling walks all limits with every way of asking.
func TestNothingExceedsACeiling(t *testing.T) {
	for _, x := range limits {
		for _, asked := range []float64{0, 1, 1000, 2_000_000} {
			for _, agent := range []bool{false, true} {
				s := merge(nil)
				*s.find(sectionCeiling + "." + x.name) = Setting{Key: s.Get(sectionCeiling + "." + x.name).Key, Value: Value{1000, "1000"}}
				a := Ask{Agent: agent, Queued: true, GraceGiven: asked != 0}
				x.set(&a.Limits, asked)
				got, lowered := s.Combine(a)
				v := x.get(&got)
				require.LessOrEqual(t, v, 1000.0, x.name)
				if x.applies(a) && !x.zero {
					require.NotZero(t, v, x.name)
				}
				require.Equal(t, asked > 1000, len(lowered) > 0, x.name)
			}
		}
	}
}
