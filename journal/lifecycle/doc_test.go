package lifecycle_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/journal/lifecycle"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the examples into docs/events.md")

const document = "../../docs/events.md"

// examples are runs that have all types between them.
func examples() (all []lifecycle.Event) {
	cost, ms := 0.02, int64(15*time.Minute/time.Millisecond)
	limited := func(l *journal.Launch) {
		l.Limits = journal.Limits{MaxDurationMS: 2 * ms, MaxQueueWaitMS: ms, GraceMS: 5000, MaxTurns: 30, ReservedTurns: 2}
	}
	queued := admitted()
	queued.Queued, queued.Reason = true, "4 of 4 runs are at work"
	one := 1
	talk := &journal.Conversation{Version: 1, ID: run, Phase: "over", SessionID: "s", Turns: 3, Tools: 2, At: at.Add(time.Minute),
		Usage: journal.Usage{Input: 900, Output: 120, CacheRead: 4000, CostUSD: &cost}}
	text, life := "done", talk.Usage.Add(journal.Usage{Input: 600, Output: 80})

	done := ended(journal.StatusCompleted, "")
	done.FinalText, done.Talk, done.LifeUsage = &text, talk, &life
	k := known(journal.Records{Launch: launched(successor, limited), Admission: queued, Process: process(), Exit: exited(0), Result: done}, told("started", "steered", "compacted")...)
	k.Before = &journal.Usage{Input: 600, Output: 80}
	all = append(all, lifecycle.Of(k)...)

	wrong := ended(journal.StatusFailed, journal.CauseVerify)
	wrong.Verified = []journal.Check{{RunID: plan, Attempt: 0, Command: "go test ./...", Code: &one, DurationMS: 2100, Output: "FAIL"}}
	all = append(all, lifecycle.Of(known(journal.Records{Launch: launched(), Process: process(), Exit: exited(0), Result: wrong}))...)
	all = append(all, lifecycle.Of(known(journal.Records{Launch: launched(), Process: process(), Exit: exited(0), Result: ended(journal.StatusStopped, journal.CauseCancelled)}))...)
	never := ended(journal.StatusFailed, journal.CauseBlocked)
	never.Error = "it was never started: build did not complete"
	all = append(all, lifecycle.Of(known(journal.Records{Launch: launched(func(l *journal.Launch) { l.PlanID, l.Task, l.Needs = plan, "test", []string{before} }), Admission: admitted(), Result: never}))...)
	changed, _ := lifecycle.OfSettings(journal.Event{Version: 1, At: at, Owner: "user", Type: journal.EventSettingsChanged, File: "/home/u/.config/agent-runs/settings.json", Settings: []string{"limits.turns"}})
	return append(all, changed)
}

var example = regexp.MustCompile("(?s)### (\\w+)\n.*?```json\n(.*?)```")

// TestExamplesInTheDocument holds the shape: every line that docs/events.md
// shows is what is printed.
func TestExamplesInTheDocument(t *testing.T) {
	want := map[string][]byte{}
	for _, e := range examples() {
		if want[e.Type] == nil {
			line, err := json.Marshal(e)
			require.NoError(t, err)
			want[e.Type] = append(line, '\n')
		}
	}
	body, err := os.ReadFile(document)
	require.NoError(t, err)
	var shown []string
	body = example.ReplaceAllFunc(body, func(section []byte) []byte {
		m := example.FindSubmatchIndex(section)
		kind := string(section[m[2]:m[3]])
		shown = append(shown, kind)
		if !*update {
			require.Equal(t, string(want[kind]), string(section[m[4]:m[5]]), kind)
		}
		return bytes.Join([][]byte{section[:m[4]], want[kind], section[m[5]:]}, nil)
	})
	require.Len(t, want, len(shown), "each type is shown once: %s", shown)
	for _, kind := range shown {
		require.NotEmpty(t, want[kind], "there is no event %s", kind)
	}
	if *update {
		require.NoError(t, os.WriteFile(document, body, 0o644))
	}
}
