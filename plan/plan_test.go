package plan_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/plan"
	"github.com/stretchr/testify/require"
)

const whole = `name: release
limits: {concurrency: 2, duration: 1h, tokens: 100000, cost: 2.50}
defaults:
  cwd: src
  max-turns: 5
tasks:
  - id: build
    command: [make, -j, 4]
    env: {CC: clang, N: 1}
    queued: true
  - id: review
    needs: build
    runtime: pi
    maxTurns: 9
    tools: [read, bash]
    verify: go test ./...
    prompt: |
      Review this:
      {previous}
  - id: tell
    needs: [review]
    prompt: Build was {outputs.build}, review {outputs.review}.
`

const wholeJSON = `{"name": "release", "limits": {"concurrency": 2, "duration": "1h", "tokens": 100000, "cost": 2.50},
 "defaults": {"cwd": "src", "max-turns": 5}, "tasks": [
 {"id": "build", "command": ["make", "-j", 4], "env": {"CC": "clang", "N": 1}, "queued": true},
 {"id": "review", "needs": ["build"], "runtime": "pi", "maxTurns": 9, "tools": "read,bash", "verify": ["go test ./..."],
  "prompt": "Review this:\n{previous}\n"},
 {"id": "tell", "needs": ["review"], "prompt": "Build was {outputs.build}, review {outputs.review}."}]}`

func TestAWholePlan(t *testing.T) {
	for _, body := range []string{whole, wholeJSON} {
		p, err := plan.Parse([]byte(body))
		require.NoError(t, err)
		require.Equal(t, "release", p.Name)
		require.Equal(t, []string{"2", "1h", "100000", "2.50"}, []string{p.Limits.Concurrency.Text, p.Limits.Duration.Text, p.Limits.Tokens.Text, p.Limits.Cost.Text})
		require.Equal(t, "src", p.Defaults.String("cwd"))
		require.Equal(t, "5", p.Defaults.String("max-turns"))
		require.Len(t, p.Tasks, 3)
		build, review, tell := p.Tasks[0], p.Tasks[1], p.Tasks[2]
		require.Equal(t, []string{"make", "-j", "4"}, build.Command)
		require.Equal(t, []string{"CC=clang", "N=1"}, build.StringSlice("env"))
		require.True(t, build.Bool("queued"))
		require.False(t, build.IsSet("cwd"))
		require.Equal(t, []string{"build"}, review.Needs)
		require.Equal(t, "Review this:\n{previous}\n", review.Prompt)
		require.Equal(t, "9", review.String("max-turns"))
		require.Equal(t, "maxTurns", review.Field("max-turns"))
		require.Equal(t, "idleTimeout", review.Field("idle-timeout"))
		require.Equal(t, "read,bash", review.String("tools"))
		require.Equal(t, []string{"go test ./..."}, review.StringSlice("verify"))
		require.Equal(t, []string{"review"}, tell.Needs)
	}
}

func TestFaultsAreToldByTaskAndLine(t *testing.T) {
	for body, want := range map[string][]string{
		"":                                 {"the plan is empty"},
		"# only words\n":                   {"the plan is empty"},
		"\xff":                             {"the plan is not valid UTF-8"},
		"just text":                        {"line 1: a plan is a mapping with tasks, but this is a single value"},
		"[]":                               {"line 1: a plan is a mapping with tasks, but this is a list"},
		"{}":                               {"line 1: there are no tasks"},
		"tasks:":                           {"line 1: there are no tasks"},
		"tasks: []":                        {"line 1: there are no tasks"},
		"tasks: {a: b}":                    {"line 1: tasks is a mapping, but has to be a list"},
		"tasks: 5":                         {"line 1: tasks is a single value, but has to be a list"},
		"taks: []":                         {`line 1: there is no field "taks"; did you mean "tasks"?`, "line 1: there are no tasks"},
		"a: [":                             {"not valid YAML: line 1: did not find expected node content"},
		"{\"tasks\": [\n{]}":               {"line 2: not valid JSON: invalid character ']'"},
		"{\"tasks\": [\n":                  {"line 1: not valid JSON: "},
		"tasks: [a]\n---\ntasks: [a]":      {"line 2: there are two documents, but a plan is one"},
		"tasks: [x]":                       {"line 1: task number 1: it is a single value, but has to be a mapping with an id"},
		"tasks: [{command: [a]}]":          {"line 1: task number 1: it has no id"},
		"tasks: [{id: '', command: [a]}]":  {"task number 1: its id is empty"},
		"tasks: [{id: a b, command: [a]}]": {`task number 1: its id "a b" is no plain word`},
		"tasks: [{id: ä, command: [a]}]":   {"is no plain word"},
		"tasks: [{id: [a], command: [a]}]": {"task number 1: id is a list, but has to be a single value"},
		"tasks: [{id: " + strings.Repeat("a", 101) + "}]": {"its id has 101 bytes, at most 100 are accepted", "nothing to do"},
		"tasks: [{id: a}]":                                        {"task a: there is nothing to do: neither a prompt nor a command"},
		"tasks: [{id: a, prompt: x, command: [x]}]":               {"task a: there are a prompt and a command, but a task has one of them"},
		"tasks: [{id: a, prompt: ' '}]":                           {"task a: the prompt is empty"},
		"tasks: [{id: a, prompt: [x]}]":                           {"task a: prompt is a list, but has to be a single value"},
		"tasks: [{id: a, command: make all}]":                     {"task a: command is a single value, but has to be a list"},
		"tasks: [{id: a, command: []}]":                           {"task a: the command is empty"},
		"tasks: [{id: a, command: [x, [y]]}]":                     {"task a: command[1] is a list, but has to be a single value"},
		`{"tasks":[{"id":"a","command":["x","y\u0000"]}]}`:        {"task a: command[1] contains a NUL character"},
		"tasks: [{id: a, command: [x], maxturns: 1, Cwd: x}]":     {`there is no field "maxturns"; did you mean "maxTurns"?`, `there is no field "Cwd"; did you mean "cwd"?`},
		"tasks: [{id: a, command: [x], zzzzzz: 1}]":               {`task a: there is no field "zzzzzz"`},
		"tasks: [{id: a, command: [x], name: x, name: y}]":        {"task a: name is there twice"},
		"tasks: [{id: a, prompt: x, maxTurns: 1, max-turns: 2}]":  {"task a: max-turns is there twice"},
		"tasks: [{id: a, command: [x], queued: maybe}]":           {`task a: queued is "maybe", but true and false are accepted`},
		"tasks: [{id: a, command: [x], env: [A=b]}]":              {"task a: env is a list, but has to be a mapping of names to values"},
		"tasks: [{id: a, command: [x], env: {A=: b}}]":            {`task a: env names "A="`},
		"tasks: [{id: a, command: [x], cwd: }]":                   {"task a: cwd is nothing, but has to be a single value"},
		"defaults: {name: x}\ntasks: [{id: a, command: [x]}]":     {"line 1: a name is one task's and no default"},
		"defaults: {prompt: x}\ntasks: [{id: a, command: [x]}]":   {`line 1: there is no field "prompt"`},
		"limits: 5\ntasks: [{id: a, command: [x]}]":               {"line 1: limits is a single value, but has to be a mapping with concurrency, duration, tokens, cost"},
		"limits: {concurency: 5}\ntasks: [{id: a, command: [x]}]": {`line 1: there is no field "concurency"; did you mean "concurrency"?`},
	} {
		_, err := plan.Parse([]byte(body))
		var faults plan.Faults
		require.True(t, errors.As(err, &faults), "%q: %v", body, err)
		require.Len(t, faults, len(want), "%q: %v", body, err)
		for i := range want {
			require.Contains(t, faults[i].String(), want[i], "%q", body)
		}
	}
}

func TestAllFaultsAreToldAtOnce(t *testing.T) {
	_, err := plan.Parse([]byte(`tasks:
  - id: build
    command: [make]
    needs:
      - build
      - tset
  - id: test
    needs: [build, build, deploy]
    command: [make, "{outputs.biuld}", "{outputs.later}", "{previous}"]
  - id: build
    command: [x]
  - id: deploy
    needs: [test]
    comand: [x]
  - id: later
    prompt: "{previous}"
`))
	require.Equal(t, `line 5: task build: it needs itself
line 6: task build: it needs "tset", which is no task; did you mean "test"?
line 7: tasks need each other in a cycle: test → deploy → test
line 8: task test: it needs "build" twice
line 9: task test: {outputs.biuld}: there is no task "biuld"; did you mean "build"?
line 9: task test: {outputs.later}: "later" is not among its needs, directly or by way of others
line 10: task build: the task in line 2 has the same id
line 12: task deploy: there is nothing to do: neither a prompt nor a command
line 14: task deploy: there is no field "comand"; did you mean "command"?
line 16: task later: {previous} stands for what a task needs, but this one needs nothing`, err.Error())
}

func TestCyclesAreShownAsTheirPath(t *testing.T) {
	_, err := plan.Parse([]byte(`tasks:
- {id: a, needs: [d, b], command: [x]}
- {id: b, needs: [c], command: [x]}
- {id: c, needs: [a], command: [x]}
- {id: d, needs: [e], command: [x]}
- {id: e, needs: [f], command: [x]}
- {id: f, needs: [e], command: [x]}
- {id: g, needs: [a], command: [x]}
`))
	require.Equal(t, "line 2: tasks need each other in a cycle: a → b → c → a\nline 6: tasks need each other in a cycle: e → f → e", err.Error())
}

func TestAliasesAreFollowedWithinBounds(t *testing.T) {
	p, err := plan.Parse([]byte("tasks:\n- {id: a, command: &x [go, test]}\n- {id: b, command: *x}\n"))
	require.NoError(t, err)
	require.Equal(t, p.Tasks[0].Command, p.Tasks[1].Command)
	_, err = plan.Parse([]byte("tasks: &a [*a]"))
	require.ErrorContains(t, err, "nested too deep, or its aliases are too many")
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'n'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	_, err = plan.Parse([]byte(bomb))
	require.ErrorContains(t, err, "its aliases are too many")
	_, err = plan.Parse([]byte(strings.Repeat("[", 100_000)))
	require.Error(t, err)
	_, err = plan.Parse([]byte(strings.Repeat("[", 50) + strings.Repeat("]", 50)))
	require.ErrorContains(t, err, "nested too deep")
}

// The processor's time counts, not the clock's: whoever else uses this machine
// is no part of it.
func TestALargePlanIsCheckedInNoTime(t *testing.T) {
	body := chain(1000, 6)
	least := time.Hour
	for range 5 {
		runtime.GC()
		began := processorTime(t)
		p, err := plan.Parse(body)
		least = min(least, processorTime(t)-began)
		require.NoError(t, err)
		edges := 0
		for _, task := range p.Tasks {
			edges += len(task.Needs)
		}
		require.Equal(t, []int{1000, 5979}, []int{len(p.Tasks), edges})
	}
	t.Logf("1,000 tasks with 5,979 edges: %v", least)
	if !raceDetector {
		require.Less(t, least, 100*time.Millisecond)
	}
}

// processorTime is what this process has used so far.
func processorTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// chain is a plan in which each task needs the ones before it, and reads the
// first, which the last ones need by way of others only.
func chain(tasks, each int) []byte {
	var b strings.Builder
	b.WriteString("tasks:\n")
	for i := range tasks {
		fmt.Fprintf(&b, "  - id: task-%d\n    cwd: /tmp\n    maxTurns: 3\n", i)
		if i == 0 {
			b.WriteString("    command: [make]\n")
			continue
		}
		fmt.Fprintf(&b, "    prompt: |\n      Work on part %d, given\n      {outputs.task-0}\n    needs:\n", i)
		for k := range min(i, each) {
			fmt.Fprintf(&b, "      - task-%d\n", i-1-k)
		}
	}
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	body := chain(1000, 6)
	for b.Loop() {
		if _, err := plan.Parse(body); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{whole, wholeJSON, "tasks: [{id: a, command: [x]}]", "tasks: &a [*a]", "{\"tasks\":[]}", "- a\n---\n- b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := plan.Parse(body)
		if err != nil {
			require.NotContains(t, err.Error(), "\n\n")
			return
		}
		at := map[string]int{}
		for i, task := range p.Tasks {
			at[task.ID] = i
			require.True(t, task.ID != "" && (task.Prompt == "") != (len(task.Command) == 0))
		}
		require.Len(t, at, len(p.Tasks))
		for range p.Tasks { // each round takes one that needs nothing any more
			for id, i := range at {
				left := false
				for _, n := range p.Tasks[i].Needs {
					_, open := at[n]
					left = left || open
				}
				if !left {
					delete(at, id)
				}
			}
		}
		require.Empty(t, at, "there is a cycle")
	})
}
