package codex

import (
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

func steer(at agent.Type, key, text string) streamtest.Order {
	return streamtest.Order{At: at, Give: func(t agent.Talk, _ *agent.State) ([]agent.Message, error) { return t.Steer(key, text) }}
}

func answer(key, word string) streamtest.Order {
	return streamtest.Order{At: agent.Asked, Give: func(t agent.Talk, s *agent.State) ([]agent.Message, error) { return t.Answer(key, s.Open()[0], word) }}
}

func interrupt(key string) streamtest.Order { return interruptAt(agent.ToolBegan, key) }

func interruptAt(at agent.Type, key string) streamtest.Order {
	return streamtest.Order{At: at, Give: func(t agent.Talk, _ *agent.State) ([]agent.Message, error) { return t.Interrupt(key) }}
}

// staleSteer gives guidance as one does who does not know yet that the turn
// has ended.
func staleSteer(key, text string) streamtest.Order {
	return streamtest.Order{At: agent.TurnEnded, Give: func(t agent.Talk, _ *agent.State) ([]agent.Message, error) {
		late := *t.(*talk)
		late.turn = late.ended
		return late.Steer(key, text)
	}}
}

func TestRecordings(t *testing.T) {
	const session = "the session"
	resume, fork, ask := task("again"), task("again"), task("ask")
	resume.Context, resume.SessionID = journal.ContextResume, session
	fork.Context, fork.SessionID = journal.ContextFork, session
	ask.Permission = journal.PermissionAsk
	named := task("hello")
	named.Model = "no-such-model"
	for name, c := range map[string]struct {
		task    agent.Task
		orders  []streamtest.Order
		outcome agent.Outcome
		final   string
		turns   int
		input   int64
		alive   bool // it was killed before it had ended
	}{
		"say":            {task: task("hi"), outcome: agent.Completed, final: "SAID hi there", turns: 1, input: 60},
		"tool":           {task: task("run"), outcome: agent.Completed, final: "FINAL ", turns: 3, input: 180},
		"two":            {task: task("one"), orders: []streamtest.Order{prompt("01TWO", "two")}, outcome: agent.Completed, final: "SAID ", turns: 2, input: 120},
		"steer":          {task: task("run"), orders: []streamtest.Order{steer(agent.ToolBegan, "01STEER", "go left")}, outcome: agent.Completed, final: `FINAL users=2 last_user="go left"`, turns: 2, input: 120},
		"steer-idle":     {task: task("hi"), orders: []streamtest.Order{staleSteer("01STEER", "go left")}, outcome: agent.Completed, turns: 1, input: 60},
		"interrupt":      {task: task("run"), orders: []streamtest.Order{interrupt("01STOP"), prompt("01TWO", "after")}, outcome: agent.Completed, turns: 2, input: 120},
		"permission":     {task: ask, orders: []streamtest.Order{answer("01YES", "allow"), prompt("01TWO", "again"), answer("01NO", "deny")}, outcome: agent.Completed, turns: 4, input: 240},
		"killed":         {task: task("run"), alive: true},
		"model":          {task: named, outcome: agent.Failed},
		"recover":        {task: task("fail once"), outcome: agent.Completed, final: "FINAL ", turns: 1, input: 60},
		"interrupt-text": {task: task("speak"), orders: []streamtest.Order{interruptAt(agent.TextDelta, "01STOP")}, outcome: agent.Interrupted},
		"resume-killed":  {task: resume, outcome: agent.Completed, turns: 1, input: 60},
		"resume":         {task: resume, outcome: agent.Completed, turns: 1, input: 60},
		"fork":           {task: fork, outcome: agent.Completed, turns: 1, input: 60},
		"error401":       {task: task("fail"), outcome: agent.Failed},
		"error500":       {task: task("fail"), outcome: agent.Failed},
		"drop":           {task: task("fail"), outcome: agent.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			p := streamtest.Play(t, Runtime{}, c.task, filepath.Join("../../../testdata/streams/codex-0.171.0", name+".jsonl"), c.orders...)
			s := &p.Fold.State
			streamtest.Golden(t, filepath.Join("testdata", name+".golden"), p.Story())
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
			require.NotEmpty(t, s.View.SessionFile)
		})
	}
}
