package lifecycle_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/journal/lifecycle"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const (
	run    = "01KJMDZM00VN4DMTDYQKWM3A7Z"
	before = "01KJMDZM00AAAAAAAAAAAAAAAA"
	plan   = "01KJMDZM00BBBBBBBBBBBBBBBB"
)

var (
	at   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	zero = 0
)

func launched(change ...func(*journal.Launch)) *journal.Launch {
	l := &journal.Launch{Version: 1, ID: run, RootID: run, Owner: "user", Name: "build", Program: journal.Program{Runtime: "command"}, Context: journal.ContextFresh, CreatedAt: at}
	for _, c := range change {
		c(l)
	}
	return l
}

func agent(l *journal.Launch) {
	l.Program.Runtime, l.Agent = "pi", &journal.Agent{Prompt: "fix it"}
}

func successor(l *journal.Launch) {
	agent(l)
	l.RootID, l.Predecessor, l.Index, l.Context = before, before, 1, journal.ContextResume
}

func admitted() *journal.Admission {
	return &journal.Admission{Version: 1, ID: run, RunID: run, Action: journal.ActionRun, State: journal.Accepted, At: at.Add(time.Second)}
}

func process() *journal.Process {
	return &journal.Process{Version: 1, ID: run, StartedAt: at.Add(2 * time.Second)}
}

func told(types ...string) (story []journal.Event) {
	for i, t := range types {
		story = append(story, journal.Event{Version: 1, Type: t, RunID: run, At: at.Add(time.Duration(3+i) * time.Second), Command: "01KJMDZM00CCCCCCCCCCCCCCCC"})
	}
	return story
}

func exited(code int) *journal.Exit {
	return &journal.Exit{Version: 1, ID: run, Code: &code, At: at.Add(time.Minute)}
}

// known derives what the records say, as whoever reads them does.
func known(r journal.Records, story ...journal.Event) lifecycle.Known {
	r.ID = run
	k := lifecycle.Known{Records: r, Status: journal.Derive(r, journal.Facts{AskerAlive: true}), Story: story}
	if r.Result != nil {
		k.Result, _ = json.Marshal(r.Result)
	}
	return k
}

func ended(status, cause string) *journal.Result {
	return &journal.Result{Version: 1, ID: run, Owner: "user", Status: status, Cause: cause, EndedAt: at.Add(time.Minute)}
}

func types(events []lifecycle.Event) string {
	var all []string
	for _, e := range events {
		all = append(all, e.Type)
	}
	return strings.Join(all, " ")
}

func TestOf(t *testing.T) {
	queued := admitted()
	queued.Queued, queued.Reason = true, "4 of 4 runs are at work"
	rejected := admitted()
	rejected.State = journal.Rejected
	failedExec := exited(0)
	failedExec.Code, failedExec.LaunchError = nil, &journal.LaunchError{Stage: "exec"}
	checked := ended(journal.StatusFailed, journal.CauseVerify)
	checked.Verified = []journal.Check{{Command: "true", Passed: true}, {Command: "false"}}
	damaged := []journal.Damage{{File: journal.ResultFile, Error: "it is empty"}}
	for name, c := range map[string]struct {
		known lifecycle.Known
		want  string
	}{
		"nothing yet":                 {known(journal.Records{}), ""},
		"asked for":                   {known(journal.Records{Launch: launched()}), "created"},
		"its asker died":              {lifecycle.Known{Records: journal.Records{ID: run, Launch: launched()}, Status: journal.Derive(journal.Records{Launch: launched()}, journal.Facts{})}, "created"},
		"admitted":                    {known(journal.Records{Launch: launched(), Admission: admitted()}), "created"},
		"has to wait":                 {known(journal.Records{Launch: launched(), Admission: queued}), "created queued"},
		"a task":                      {known(journal.Records{Launch: launched(func(l *journal.Launch) { l.PlanID = plan }), Admission: admitted()}), "created queued"},
		"a plan":                      {known(journal.Records{Launch: launched(func(l *journal.Launch) { l.Plan = &journal.Plan{} }), Admission: admitted()}), "created started"},
		"refused, and not settled":    {known(journal.Records{Launch: launched(), Admission: rejected}), "created"},
		"refused":                     {known(journal.Records{Launch: launched(), Admission: rejected, Result: ended("failed", "spawn")}), "created failed"},
		"at its gate":                 {known(journal.Records{Launch: launched(), Process: process()}), "created"},
		"executes":                    {known(journal.Records{Launch: launched(), Process: process()}, told("started")...), "created started"},
		"waited, and executes":        {known(journal.Records{Launch: launched(), Admission: queued, Process: process()}, told("started")...), "created queued started"},
		"adopted":                     {known(journal.Records{Launch: launched(), Process: process()}, told("adopted", "adopted")...), "created started"},
		"goes on with a session":      {known(journal.Records{Launch: launched(successor), Process: process()}, told("started")...), "created resumed"},
		"guided":                      {known(journal.Records{Launch: launched(agent), Process: process()}, told("started", "steer_queued", "steered", "compacted", "steer_lost")...), "created started steered compacted"},
		"exited, and not settled":     {known(journal.Records{Launch: launched(), Process: process(), Exit: exited(0)}), "created started"},
		"completed":                   {known(journal.Records{Launch: launched(), Process: process(), Exit: exited(0), Result: ended("completed", "")}, told("started", "exited", "settled")...), "created started completed"},
		"failed":                      {known(journal.Records{Launch: launched(), Process: process(), Exit: exited(1), Result: ended("failed", "exit")}), "created started failed"},
		"could not execute":           {known(journal.Records{Launch: launched(), Process: process(), Exit: failedExec, Result: ended("failed", "spawn")}), "created failed"},
		"stopped while it waited":     {known(journal.Records{Launch: launched(), Admission: queued, Result: ended("stopped", "cancelled")}), "created queued stopped"},
		"blocked":                     {known(journal.Records{Launch: launched(), Admission: queued, Result: ended("failed", "blocked")}), "created queued blocked"},
		"checked":                     {known(journal.Records{Launch: launched(), Process: process(), Exit: exited(0), Result: checked}), "created started verified failed"},
		"its launch cannot be read":   {known(journal.Records{Process: process(), Exit: exited(0), Result: ended("completed", "")}), "created started completed"},
		"its result cannot be read":   {known(journal.Records{Launch: launched(), Process: process(), Exit: exited(3), Damaged: damaged}), "created started failed"},
		"its result is being written": {lifecycle.Known{Records: journal.Records{ID: run, Launch: launched(), Process: process(), Exit: exited(3), Damaged: damaged}, Status: journal.Status{Phase: journal.PhaseStopping}}, "created started"},
	} {
		t.Run(name, func(t *testing.T) {
			events := lifecycle.Of(c.known)
			require.Equal(t, c.want, types(events))
			for i, e := range events {
				require.Equal(t, i == len(events)-1 && c.known.Status.Phase == journal.PhaseTerminal && c.known.Records.Terminal(), e.Terminal())
				require.Equal(t, run, e.RunID)
				require.False(t, e.At.IsZero())
			}
		})
	}
}

func TestWhoseAndWhich(t *testing.T) {
	first := lifecycle.Of(known(journal.Records{Launch: launched()}))[0]
	require.Equal(t, &zero, first.Index)
	next := lifecycle.Of(known(journal.Records{Launch: launched(successor)}))[0]
	require.Equal(t, 1, *next.Index)
	require.Equal(t, before, next.RootID)
	unknown := lifecycle.Of(known(journal.Records{Launch: launched(successor, func(l *journal.Launch) { l.Index = 0 })}))[0]
	require.Nil(t, unknown.Index)
}

func TestUsage(t *testing.T) {
	had, used := &journal.Usage{Input: 10}, journal.Usage{Input: 5}
	k := known(journal.Records{Launch: launched(successor), Process: process()}, told("started", "steered")...)
	k.Before = had
	events := lifecycle.Of(k)
	for _, e := range events[:2] {
		require.Equal(t, &journal.Usage{}, e.Usage, e.Type)
		require.Equal(t, had, e.LifeUsage, e.Type)
	}
	require.Nil(t, events[2].Usage, "nobody knows what it had used then")
	require.Nil(t, lifecycle.Of(known(journal.Records{Launch: launched()}))[0].Usage, "a command uses no model")

	r := ended("completed", "")
	sum := had.Add(used)
	r.Talk, r.LifeUsage = &journal.Conversation{Usage: used}, &sum
	end := lifecycle.Of(known(journal.Records{Launch: launched(successor), Result: r}))
	require.Equal(t, &used, end[len(end)-1].Usage)
	require.Equal(t, &sum, end[len(end)-1].LifeUsage)
}

// TestResultIsTheRecord: its bytes are those of the file, also where a newer
// program has put in what this one does not know.
func TestResultIsTheRecord(t *testing.T) {
	k := known(journal.Records{Launch: launched(), Result: ended("completed", "")})
	k.Result = json.RawMessage(`{"version":1,"id":"` + run + `","later":"<&>"}` + "\n")
	end := lifecycle.Of(k)
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	require.NoError(t, enc.Encode(end[len(end)-1]))
	require.Contains(t, b.String(), `"result":{"version":1,"id":"`+run+`","later":"<&>"}`)
	require.Equal(t, 1, strings.Count(b.String(), "\n"))
}

// TestWhatWasToldStays reads a run again and again while its records appear
// one by one: what is derived later begins with what was derived before.
func TestWhatWasToldStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k lifecycle.Known
		k.Records.ID = run
		queue, runs, stops := rapid.Bool().Draw(t, "queue"), rapid.Bool().Draw(t, "runs"), rapid.Bool().Draw(t, "stops")
		steps := []func(){func() { k.Records.Launch = launched(agent) }, func() {
			k.Records.Admission = admitted()
			k.Records.Admission.Queued = queue
		}}
		if runs {
			steps = append(steps, func() { k.Records.Process = process() })
			for _, s := range rapid.SliceOfN(rapid.SampledFrom([]string{"started", "adopted", "steered", "compacted", "signal"}), 0, 5).Draw(t, "story") {
				steps = append(steps, func() { k.Story = append(slices.Clone(k.Story), told(s)...) })
			}
			steps = append(steps, func() { k.Records.Exit = exited(0) })
		}
		steps = append(steps, func() {
			k.Records.Result = ended("completed", "")
			if stops {
				k.Records.Result = ended("stopped", "cancelled")
			}
		}, func() { k.Story = append(slices.Clone(k.Story), told("settled")...) })
		var last []lifecycle.Event
		for _, step := range steps {
			step()
			now := lifecycle.Of(known(k.Records, k.Story...))
			if len(now) < len(last) || types(now[:len(last)]) != types(last) {
				t.Fatalf("after %q it says %q", types(last), types(now))
			}
			if len(last) > 0 && last[len(last)-1].Terminal() && len(now) > len(last) {
				t.Fatalf("%q goes on after its end", types(now))
			}
			last = now
		}
		if len(last) == 0 || !last[len(last)-1].Terminal() {
			t.Fatalf("%q has no end", types(last))
		}
	})
}
