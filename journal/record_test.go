package journal_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

const goldenDir = "../testdata/records"

// samples holds one value of every record kind with every field set, and the
// variants whose absent or null fields mean something.
func samples() map[string]any {
	at := time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
	id := func(pid int) journal.Identity {
		return journal.Identity{BootID: "2f4c9b1e-93a8-4dd2-a9a4-3c0d5f6f7a11", PID: pid, StartTicks: 8472913}
	}
	run := "01KJMDZM00VN4DMTDYQKWM3A7Z"
	code, sig, grace, text, asker := 7, 9, int64(1500), "done\n", id(99)
	cost := 0.25
	used := journal.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5, CostUSD: &cost}
	talk := journal.Conversation{Version: 1, ID: run, Phase: "asking", SessionID: "s", SessionFile: "/s.jsonl", Model: "m", Turns: 1, Tools: 2, ToolNames: []string{"bash"},
		Doing: "bash: ls", Denied: 3, Usage: used, Notices: []string{"n"}, Heard: 4, At: at,
		Questions: []journal.Question{{ID: "q1", Kind: "choice", Tool: "bash", Text: "may I?", Options: []string{"allow", "deny"}, Answer: "deny", By: "policy:q1"}}}
	return map[string]any{
		"launch": &journal.Launch{Version: 1, ID: run, RootID: run, Predecessor: "01KJMDZM00AAAAAAAAAAAAAAAA", Name: "Grüße", Owner: "user", Cwd: "/srv/with space",
			Program: journal.Program{Runtime: "command", Argv: []string{"sh", "-c", "a && b < c"}, EnvNames: []string{"PATH", "HOME"}},
			Stdin:   journal.Stdin{Mode: "file", Path: "/dev/null"}, Context: "fresh",
			Limits: journal.Limits{MaxDurationMS: 1, MaxQueueWaitMS: 2, GraceMS: 5000, MaxOutputBytes: 4}, Tree: "auto", Umask: 18,
			Rlimits: []journal.Rlimit{{Resource: 7, Cur: 1024, Max: 1<<64 - 1}}, Priority: &journal.Priority{Nice: 5, CPUs: "1", IOPrio: 24576, OOMScoreAdj: 300},
			EnvFile: "/dev/shm/agent-runs-x.env", Asker: id(100), CreatedAt: at},
		"launch-task": &journal.Launch{Version: 1, ID: run, RootID: run, Owner: "user", Cwd: "/", Program: journal.Program{Runtime: "command", Argv: []string{"true"}, EnvNames: []string{}},
			Stdin: journal.Stdin{Mode: "empty"}, Context: "fresh", Tree: "auto", Asker: id(100), CreatedAt: at, Limits: journal.Limits{MaxMemoryBytes: 1, MaxProcesses: 2},
			Queue: true, Needs: []string{"01KJMDZM00AAAAAAAAAAAAAAAA"}, PlanID: "01KJMDZM00BBBBBBBBBBBBBBBB", Task: "test", PartOf: "01KJMDZM00CCCCCCCCCCCCCCCC",
			Verify: &journal.Verify{Commands: []string{"go test ./..."}, MaxDurationMS: 1, Retry: 2, EnvFile: "/dev/shm/agent-runs-y.env"}},
		"launch-plan": &journal.Launch{Version: 1, ID: run, RootID: run, Owner: "user", Cwd: "/", Program: journal.Program{Runtime: "plan", Argv: []string{}, EnvNames: []string{}},
			Stdin: journal.Stdin{Mode: "empty"}, Context: "fresh", Tree: "auto", Asker: id(100), CreatedAt: at,
			Plan: &journal.Plan{Tasks: []journal.PlanTask{{ID: "build", RunID: "01KJMDZM00AAAAAAAAAAAAAAAA", Done: true}}, File: "/srv/plan.yaml",
				Limits: journal.PlanLimits{Concurrency: 1, MaxDurationMS: 2, MaxTokens: 3, MaxCostUSD: 0.5}}},
		"inputs":           &journal.Inputs{Version: 1, ID: run, Prompt: &text, Argv: []string{"echo", "done"}, At: at},
		"part":             &journal.Part{Version: 1, ID: "01KJMDZM00DDDDDDDDDDDDDDDD", RunID: run},
		"attachment":       &journal.Attachment{Version: 1, Owner: "user", PID: 100, Identity: &asker, Generation: 3, Attached: true, At: at},
		"acknowledged":     &journal.Acknowledged{Version: 1, ID: run, Owner: "user", Generation: 3, At: at},
		"admission-queued": &journal.Admission{Version: 1, ID: run, Action: journal.ActionRun, RunID: run, State: journal.Accepted, Queued: true, Reason: "4 of 4 runs are at work", At: at},
		"result-verified": &journal.Result{Version: 1, ID: run, Owner: "user", Status: journal.StatusFailed, Cause: journal.CauseVerify, FollowUps: []string{"01KJMDZM00AAAAAAAAAAAAAAAA"}, EndedAt: at,
			Verified: []journal.Check{{RunID: "01KJMDZM00BBBBBBBBBBBBBBBB", Attempt: 1, Command: "go test ./...", Passed: true, Code: &code, Error: "e", DurationMS: 5, Output: "ok"}}},
		"result-plan": &journal.Result{Version: 1, ID: run, Owner: "user", Status: journal.StatusFailed, Cause: journal.CauseTasks, EndedAt: at,
			Tasks: []journal.TaskEnd{{ID: "build", RunID: "01KJMDZM00AAAAAAAAAAAAAAAA", Status: journal.StatusFailed, Cause: journal.CauseBlocked}}},
		"launch-least": &journal.Launch{Version: 1, ID: run, RootID: run, Owner: "user", Cwd: "/", Program: journal.Program{Runtime: "command", Argv: []string{"true"}, EnvNames: []string{}},
			Stdin: journal.Stdin{Mode: "empty"}, Context: "fresh", Tree: "auto", Asker: id(100), CreatedAt: at},
		"launch-ordered": &journal.Launch{Version: 1, ID: run, RootID: run, Owner: "user", Cwd: "/", Program: journal.Program{Runtime: "command", Argv: []string{"true"}, EnvNames: []string{}},
			Stdin: journal.Stdin{Mode: "empty"}, Context: "fresh", Tree: "auto", Asker: id(100), CreatedAt: at, RunID: run, Action: journal.ActionRun, Actor: "user"},
		"command": &journal.Command{Version: 1, ID: "01KJMDZM00BBBBBBBBBBBBBBBB", RunID: run, Action: journal.ActionSteer, Actor: "user", Force: true,
			Incarnation: "01KJMDZM00CCCCCCCCCCCCCCCC", Text: text, EOF: true, GraceMS: &grace, Asker: &asker, CreatedAt: at},
		"admission": &journal.Admission{Version: 1, ID: run, Action: journal.ActionRun, RunID: run, State: journal.Stale, Reason: "the run is over", At: at},
		"process": &journal.Process{Version: 1, ID: run, PID: 4242, Identity: id(4242), Token: "01KJMDZM00CCCCCCCCCCCCCCCC",
			Shim: journal.Shim{PID: 4240, Identity: id(4240)}, PGID: 4242, SID: 4242, Cgroup: "/sys/fs/cgroup/x", StartedAt: at},
		"process-after-sleep": &journal.Process{Version: 1, ID: run, PID: 4242, Identity: id(4242), Token: "01KJMDZM00CCCCCCCCCCCCCCCC",
			Shim: journal.Shim{PID: 4240, Identity: id(4240)}, PGID: 4242, SID: 4242, StartedAt: at, AsleepMS: 1},
		"stop": &journal.Stop{Version: 1, ID: run, Cause: journal.CauseCancelled, CommandID: "01KJMDZM00BBBBBBBBBBBBBBBB", GraceMS: 5000, At: at},
		"exit-code": &journal.Exit{Version: 1, ID: run, PID: 4242, Code: &code, At: at, Observed: journal.ObservedWaited, Tree: journal.TreeEmpty,
			Leftovers: []journal.Leftover{{PID: 4250, StartTicks: 9, Name: "sleep", Cleared: true}}, Rusage: &journal.Rusage{UserMS: 1, SystemMS: 2, MaxRSSKB: 3}},
		"exit-signal": &journal.Exit{Version: 1, ID: run, PID: 4242, Signal: &sig, SignalName: "SIGKILL", CoreDumped: true, At: at, Observed: journal.ObservedPidfd,
			Tree: journal.TreeUnproven, Leftovers: []journal.Leftover{}},
		"exit-ceilings": &journal.Exit{Version: 1, ID: run, PID: 4242, Signal: &sig, SignalName: "SIGKILL", At: at, Observed: journal.ObservedWaited, Tree: journal.TreeEmpty,
			Leftovers: []journal.Leftover{}, OOMKills: 3, ForksDenied: 4},
		"exit-unknown": &journal.Exit{Version: 1, ID: run, PID: 4242, At: at, Observed: journal.ObservedIdentityGone, Tree: journal.TreeUnproven, Leftovers: []journal.Leftover{}},
		"exit-never-ran": &journal.Exit{Version: 1, ID: run, At: at, Observed: journal.ObservedWaited, Tree: journal.TreeEmpty, Leftovers: []journal.Leftover{},
			LaunchError: &journal.LaunchError{Stage: "exec", Errno: 8, Message: "exec format error"}},
		"result": &journal.Result{Version: 1, ID: run, Owner: "user", Status: journal.StatusFailed, Cause: journal.CauseSpawn, Error: "exec: exec format error", FinalText: &text, EndedAt: at},
		"supervisor": &journal.Supervisor{Version: 1, PID: 77, Identity: id(77), Incarnation: "01KJMDZM00DDDDDDDDDDDDDDDD", State: journal.SupervisorRunning, Program: "/usr/bin/delegate",
			Build: "v1", Watch: "polling", WatchNote: "too many open files", QuickDeaths: 2, StartedAt: at},
		"launch-agent": &journal.Launch{Version: 1, ID: run, RootID: run, Owner: "user", Cwd: "/", Program: journal.Program{Runtime: "claude", Argv: []string{"/usr/bin/claude", "-p"}, EnvNames: []string{}},
			Stdin: journal.Stdin{Mode: "open"}, Context: journal.ContextFork, Tree: "auto", Asker: id(100), CreatedAt: at,
			Limits: journal.Limits{GraceMS: 5000, StartupMS: 1, IdleMS: 2, MaxTurns: 3, ReservedTurns: 4, MaxTokens: 5, MaxCostUSD: 0.5},
			Agent: &journal.Agent{Prompt: "fix it", Model: "p/m", Thinking: "high", SystemPrompt: "be brief", Tools: []string{"bash"}, Permission: journal.PermissionAsk,
				SessionID: "s", SessionFile: "/s.jsonl", Version: "2.1.332"}},
		"command-answer": &journal.Command{Version: 1, ID: "01KJMDZM00BBBBBBBBBBBBBBBB", RunID: run, Action: journal.ActionAnswer, Actor: "user", Question: "q1", Text: "allow", CreatedAt: at},
		"stop-limit":     &journal.Stop{Version: 1, ID: run, Cause: journal.CauseTurnLimit, Reason: "it had its 30 turns and went on", GraceMS: 5000, At: at},
		"event-settings": &journal.Event{Version: 1, At: at, Owner: "user", Type: journal.EventSettingsChanged, File: "/home/u/.config/agent-runs/settings.json", Settings: []string{"limits.turns"}},
		"launch-successor": &journal.Launch{Version: 1, ID: run, RootID: "01KJMDZM00AAAAAAAAAAAAAAAA", Predecessor: "01KJMDZM00BBBBBBBBBBBBBBBB", Index: 2, Owner: "user", Cwd: "/",
			Program: journal.Program{Runtime: "pi", Argv: []string{"/usr/bin/pi"}, EnvNames: []string{}}, Stdin: journal.Stdin{Mode: "open"}, Context: journal.ContextResume, Tree: "auto", Asker: id(100), CreatedAt: at},
		"event-asked":    &journal.Event{Version: 1, At: at, RunID: run, Owner: "user", Type: journal.EventAsked, Question: "q1"},
		"event-verified": &journal.Event{Version: 1, At: at, RunID: run, Owner: "user", Type: journal.EventVerified, Status: "failed", Part: "01KJMDZM00BBBBBBBBBBBBBBBB"},
		"result-agent":   &journal.Result{Version: 1, ID: run, Owner: "user", Status: journal.StatusCompleted, FinalText: &text, Talk: &talk, LifeUsage: &used, EndedAt: at},
		"conversation":   &talk,
		"successor":      &journal.Successor{Version: 1, ID: "01KJMDZM00EEEEEEEEEEEEEEEE"},
		"event":          &journal.Event{Version: 1, At: at, RunID: run, Owner: "user", Type: journal.EventSteered, Command: "01KJMDZM00BBBBBBBBBBBBBBBB", Cause: "c", Status: "s", Signal: "SIGTERM", PID: 1, Bytes: 2, Error: "e"},
	}
}

// TestGoldenRecords holds the bytes on disk: what an older program wrote must
// decode to the same value and encode to the same bytes for ever.
func TestGoldenRecords(t *testing.T) {
	all := samples()
	for name, value := range all {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(goldenDir, name+".json")
			want, err := json.Marshal(value)
			require.NoError(t, err)
			want = append(want, '\n')
			if *update {
				require.NoError(t, os.MkdirAll(goldenDir, 0o755))
				require.NoError(t, os.WriteFile(path, want, 0o644))
			}
			golden, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(golden), string(want), "encoding changed: a new field needs a new golden file, an old one must keep its form")

			decoded := reflect.New(reflect.TypeOf(value).Elem()).Interface()
			require.NoError(t, journal.Read(path, decoded))
			require.Equal(t, value, decoded)
		})
	}
	entries, err := os.ReadDir(goldenDir)
	require.NoError(t, err)
	for _, e := range entries {
		require.Contains(t, all, e.Name()[:len(e.Name())-len(".json")], "a golden file without a sample")
	}
}

// TestEveryFieldIsGolden keeps the samples complete: each field of each record
// has a value in at least one of them.
func TestEveryFieldIsGolden(t *testing.T) {
	set := map[string]bool{}
	known := map[string]bool{}
	for _, v := range samples() {
		visit(reflect.ValueOf(v).Elem(), known, set)
	}
	for field := range known {
		require.True(t, set[field], "no golden record has a value for %s", field)
	}
}

func visit(v reflect.Value, known, set map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Elem(), known, set)
		}
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), known, set)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			known[name] = true
			set[name] = set[name] || !v.Field(i).IsZero()
			visit(v.Field(i), known, set)
		}
	}
}
