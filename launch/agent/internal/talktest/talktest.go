// Package talktest plays recorded conversations with real agents, so that a
// codec is held against what the agents truly wrote.
//
// A .talk file is one conversation: "# " and the task, then "> " with what was
// said and "< " with what was heard, in the order in which it happened. Beside
// it lies what came of it, in a .golden file.
package talktest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/stretchr/testify/require"
)

// Golden plays every conversation in a directory and compares what came of it.
func Golden(t *testing.T, r agent.Runtime, dir string) {
	talks, err := filepath.Glob(filepath.Join(dir, "*.talk"))
	require.NoError(t, err)
	require.NotEmpty(t, talks, "no conversations in %s", dir)
	for _, path := range talks {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".talk"), func(t *testing.T) {
			got := Play(t, r, path)
			compare(t, strings.TrimSuffix(path, ".talk")+".golden", got)
		})
	}
}

func compare(t *testing.T, golden, got string) {
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err, "run the test with -update")
	require.Equal(t, string(want), got)
}

// Play folds a conversation and returns what came of it. It requires that all
// that the protocol itself wanted to say was said in the recording, and that a
// fold that is made anew from the same bytes comes to the same.
func Play(t *testing.T, r agent.Runtime, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	var task agent.Task
	require.NoError(t, json.Unmarshal([]byte(lines[0][2:]), &task))
	var out, stream bytes.Buffer
	var said []journal.Said
	f := agent.NewFold(r, task, func(e agent.Event) { describe(&out, e) })
	for i, line := range lines[1:] {
		if strings.HasPrefix(line, "< ") {
			stream.WriteString(line[2:] + "\n")
			_, err = f.Write([]byte(line[2:] + "\n"))
			require.NoError(t, err)
			continue
		}
		var s journal.Said
		require.NoError(t, json.Unmarshal([]byte(line[2:]), &s), "%s:%d", path, i+2)
		if s.At = f.Heard; strings.Contains(s.Key, ":") && !strings.HasPrefix(s.Key, "cancel:0") {
			require.True(t, slices.ContainsFunc(f.Due(), func(m agent.Message) bool { return m.Key == s.Key && string(m.Kind) == s.Kind }), "%s:%d: %s is not due", path, i+2, s.Key)
		}
		said = append(said, s)
		fmt.Fprintf(&out, "> %s %s\n", s.Key, s.Kind)
		f.Said(s)
	}
	require.Empty(t, f.Due(), "said in the recording")
	summary := conclude(f)
	again := agent.NewFold(r, task, nil)
	again.Recall(said)
	_, err = again.Write(stream.Bytes())
	require.NoError(t, err)
	again.Recalled()
	require.Equal(t, summary, conclude(again), "made anew from the files")
	require.Empty(t, again.Due())
	return out.String() + summary
}

// describe writes an event in a line, without what is empty.
func describe(out *bytes.Buffer, e agent.Event) {
	if e.Type == agent.TextDelta {
		return
	}
	fmt.Fprintf(out, "%s", e.Type)
	for _, field := range []struct{ name, value string }{
		{"key", e.Key}, {"session", e.Session}, {"file", e.File}, {"model", e.Model}, {"tool", e.Tool}, {"id", e.ToolID},
		{"outcome", string(e.Outcome)}, {"error", e.Error}, {"text", e.Text},
	} {
		if field.value != "" {
			fmt.Fprintf(out, " %s=%q", field.name, field.value)
		}
	}
	if e.Failed {
		out.WriteString(" failed")
	}
	if e.Stale {
		out.WriteString(" stale")
	}
	if e.Usage != nil {
		fmt.Fprintf(out, " %s", text(e.Usage))
	}
	if e.Question != nil {
		fmt.Fprintf(out, " %s", text(e.Question))
	}
	out.WriteString("\n")
}

func conclude(f *agent.Fold) string {
	s := &f.State
	ended := "never"
	if s.Ended != nil {
		ended = fmt.Sprintf("%s %q", s.Ended.Outcome, s.Ended.Error)
	}
	return fmt.Sprintf("= %s\n= settled %t, ended %s, waiting %q\n= final %q\n", text(s.View), s.Settled(), ended, s.Waiting(), s.FinalText())
}

func text(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // records can be written
	}
	return string(data)
}

// Fuzz feeds a talk any lines, with everything said at some point: it must
// not panic, and must come to the same when it hears them again.
func Fuzz(f *testing.F, r agent.Runtime, task agent.Task, seeds string) {
	talks, err := filepath.Glob(seeds)
	require.NoError(f, err)
	require.NotEmpty(f, talks)
	for _, path := range talks {
		data, err := os.ReadFile(path)
		require.NoError(f, err)
		for line := range strings.SplitSeq(string(data), "\n") {
			if strings.HasPrefix(line, "< ") {
				f.Add([]byte(line[2:]))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		require.Equal(t, hear(t, r, task, data), hear(t, r, task, data))
	})
}

func hear(t *testing.T, r agent.Runtime, task agent.Task, data []byte) string {
	var out bytes.Buffer
	f := agent.NewFold(r, task, func(e agent.Event) { describe(&out, e) })
	say := func(all []agent.Message, err error) {
		if err != nil {
			return
		}
		for _, m := range all {
			require.NotEmpty(t, m.Key)
			require.True(t, json.Valid(m.Line), "%s", m.Line)
			fmt.Fprintf(&out, "> %s %s %s\n", m.Key, m.Kind, m.Line)
			f.Said(journal.Said{Key: m.Key, Kind: string(m.Kind), Question: m.Question, Answer: m.Answer})
		}
	}
	for i := range 3 {
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			f.Line(line)
			say(f.Due(), nil)
		}
		say(f.Talk.Prompt(fmt.Sprint("p", i), "prompt"))
		say(f.Talk.Steer(fmt.Sprint("s", i), "steer"))
		for _, q := range f.State.Open() {
			say(f.Talk.Answer("a"+q.ID+fmt.Sprint(i), q, "allow"))
		}
		say(f.Talk.Interrupt(fmt.Sprint("i", i)))
	}
	return out.String() + conclude(f)
}
