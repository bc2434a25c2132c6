package acp

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/streamtest"
)

func task(prompt string) agent.Task {
	return agent.Task{
		Agent: journal.Agent{Prompt: prompt, Permission: journal.PermissionAllow},
		RunID: "01RUN", Cwd: "/home/user/project", Context: journal.ContextFresh,
	}
}

func prompt(key, text string) streamtest.Order {
	return streamtest.Order{At: agent.TurnEnded, Give: func(t agent.Talk, _ *agent.State) ([]agent.Message, error) { return t.Prompt(key, text) }}
}

func steer(key, text string) streamtest.Order {
	return streamtest.Order{At: agent.ToolBegan, Give: func(t agent.Talk, _ *agent.State) ([]agent.Message, error) { return t.Steer(key, text) }}
}

// joining gives a second prompt where Steer would not: what the recorder did.
func joining(key, text string) streamtest.Order {
	return streamtest.Order{At: agent.ToolBegan, Give: func(t agent.Talk, _ *agent.State) ([]agent.Message, error) {
		return []agent.Message{t.(*talk).prompt(key, agent.Prompt, text)}, nil
	}}
}

func answer(key, word string) streamtest.Order {
	return streamtest.Order{At: agent.Asked, Give: func(t agent.Talk, s *agent.State) ([]agent.Message, error) { return t.Answer(key, s.Open()[0], word) }}
}

func interrupt(key string) streamtest.Order { return interruptAt(agent.ToolBegan, key) }

func interruptAt(at agent.Type, key string) streamtest.Order {
	return streamtest.Order{At: at, Give: func(t agent.Talk, _ *agent.State) ([]agent.Message, error) { return t.Interrupt(key) }}
}

type recording struct {
	task    agent.Task
	orders  []streamtest.Order
	outcome agent.Outcome
	final   string
	turns   int
	input   int64
	alive   bool // it was killed before it had ended
}

func (c recording) play(t *testing.T, r Runtime, version, name string) {
	t.Helper()
	p := streamtest.Play(t, r, c.task, filepath.Join("../../../testdata/streams", r.name+"-"+version, name+".jsonl"), c.orders...)
	s := &p.Fold.State
	streamtest.Golden(t, filepath.Join("testdata", r.name+"-"+name+".golden"), p.Story())
	if c.alive {
		require.False(t, s.Settled())
		return
	}
	require.NotNil(t, s.Ended)
	require.Equal(t, c.outcome, s.Ended.Outcome)
	require.Equal(t, agent.PhaseIdle, s.Phase())
	require.True(t, strings.HasPrefix(s.FinalText(), c.final), s.FinalText())
	require.Equal(t, c.turns, s.View.Turns)
	require.Equal(t, c.input, s.View.Usage.Input)
	require.NotEmpty(t, s.View.SessionID)
}

func asking() agent.Task {
	t := task("ask")
	t.Permission = journal.PermissionAsk
	return t
}

// resumed is the session that the recorder resumed.
func resumed(t *testing.T, file string) string {
	t.Helper()
	said, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, one := range bytes.Split(said, []byte("\n")) {
		var l line
		if json.Unmarshal(one, &l) == nil && l.Method == "session/resume" {
			return l.Params.SessionID
		}
	}
	require.Fail(t, "no session was resumed")
	return ""
}

func TestGeminiRecordings(t *testing.T) {
	for name, c := range map[string]recording{
		"say":            {task: task("hi"), outcome: agent.Completed, final: "SAID hi there", turns: 1, input: 100},
		"tool":           {task: task("run"), outcome: agent.Completed, final: "FINAL ", turns: 3, input: 300},
		"two":            {task: task("one"), orders: []streamtest.Order{prompt("01TWO", "two")}, outcome: agent.Completed, turns: 2, input: 200},
		"steer":          {task: task("run"), orders: []streamtest.Order{joining("01STEER", "go left")}, outcome: agent.Interrupted, turns: 1, input: 100},
		"interrupt":      {task: task("run"), orders: []streamtest.Order{interrupt("01STOP"), prompt("01TWO", "after")}, outcome: agent.Completed, turns: 2, input: 100},
		"permission":     {task: asking(), orders: []streamtest.Order{answer("01YES", "allow"), prompt("01TWO", "again"), answer("01NO", "deny")}, outcome: agent.Completed, turns: 3, input: 400},
		"error401":       {task: task("fail"), outcome: agent.Failed},
		"error500":       {task: task("fail"), outcome: agent.Failed},
		"drop":           {task: task("fail"), outcome: agent.Failed, turns: 1},
		"recover":        {task: task("fail once"), outcome: agent.Failed, turns: 1},
		"killed":         {task: task("run"), turns: 1, alive: true},
		"interrupt-text": {task: task("speak"), orders: []streamtest.Order{interruptAt(agent.TextDelta, "01STOP")}, outcome: agent.Interrupted, turns: 1},
	} {
		t.Run(name, func(t *testing.T) { c.play(t, Gemini(), "0.61.0", name) })
	}
}

func TestOpenCodeRecordings(t *testing.T) {
	resume, fork := task("again"), task("again")
	resume.Context, resume.SessionID = journal.ContextResume, resumed(t, "../../../testdata/streams/opencode-1.18.33/resume.in.jsonl")
	killed := resume
	killed.SessionID = resumed(t, "../../../testdata/streams/opencode-1.18.33/resume-killed.in.jsonl")
	fork.Context, fork.SessionID = journal.ContextFork, "the session"
	for name, c := range map[string]recording{
		"say":            {task: task("hi"), outcome: agent.Completed, final: "SAID hi there", turns: 1, input: 60},
		"tool":           {task: task("run"), outcome: agent.Completed, final: "FINAL ", turns: 3, input: 60},
		"two":            {task: task("one"), orders: []streamtest.Order{prompt("01TWO", "two")}, outcome: agent.Completed, turns: 2, input: 120},
		"steer":          {task: task("run"), orders: []streamtest.Order{steer("01STEER", "go left")}, outcome: agent.Completed, final: `FINAL users=2 last_user="go left"`, turns: 2, input: 60},
		"interrupt":      {task: task("run"), orders: []streamtest.Order{interrupt("01STOP"), prompt("01TWO", "after")}, outcome: agent.Completed, turns: 2, input: 60},
		"permission":     {task: asking(), orders: []streamtest.Order{answer("01YES", "allow"), prompt("01TWO", "again"), answer("01NO", "deny")}, outcome: agent.Completed, turns: 3, input: 120},
		"resume":         {task: resume, outcome: agent.Completed, turns: 1, input: 60},
		"fork":           {task: fork, outcome: agent.Completed, turns: 1, input: 60},
		"error401":       {task: task("fail"), outcome: agent.Failed},
		"error500":       {task: task("fail"), outcome: agent.Failed},
		"drop":           {task: task("fail"), outcome: agent.Failed},
		"recover":        {task: task("fail once"), outcome: agent.Completed, turns: 1, input: 60},
		"resume-killed":  {task: killed, outcome: agent.Completed, turns: 1, input: 60},
		"killed":         {task: task("run"), turns: 1, alive: true},
		"interrupt-text": {task: task("speak"), orders: []streamtest.Order{interruptAt(agent.TextDelta, "01STOP")}, outcome: agent.Interrupted, turns: 1},
	} {
		t.Run(name, func(t *testing.T) { c.play(t, OpenCode(), "1.18.33", name) })
	}
}
