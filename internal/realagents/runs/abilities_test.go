package runs

import (
	"strings"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/internal/modelserver"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/stretchr/testify/require"
)

// ability is something that is tried with every agent. Its column in the table says yes if all its tests passed.
type ability struct {
	name, column string
	lacking      func(agent.Abilities) string // why this agent cannot; nil: every agent can
	test         func(*scene)
}

func abilities() []ability {
	steer := func(a agent.Abilities) string { return a.Steer }
	interrupt := func(a agent.Abilities) string { return a.Interrupt }
	goOn := func(a agent.Abilities) string { return a.Continue }
	fork := func(a agent.Abilities) string { return a.Fork }
	questions := func(a agent.Abilities) string { return a.Questions }
	usage := func(a agent.Abilities) string { return a.Usage }
	cost := func(a agent.Abilities) string { return a.Cost }
	return []ability{
		{"prompt", "prompt", nil, prompted},
		{"steer", "steer", steer, steered},
		{"interrupt", "interrupt", interrupt, interrupted},
		{"stop leaves nothing", "stop leaves nothing", nil, stopped},
		{"continue", "continue", goOn, continued},
		{"continue after SIGKILL", "continue", goOn, continuedAfterKill},
		{"fork", "fork", fork, forked},
		{"questions", "questions", questions, questioned},
		{"usage", "usage", usage, used},
		{"cost", "cost", cost, priced},
		{"agent killed", "errors are failures", nil, agentKilled},
		{"model fails", "errors are failures", nil, modelFails},
		{"model is silent", "errors are failures", nil, modelSilent},
		{"supervisor killed", "survives us", nil, supervisorKilled},
		{"shim killed", "survives us", nil, shimKilled},
	}
}

func prompted(s *scene) {
	v := s.completes(s.delegate(s.tool("echo hello from $((40+2))\n")))
	require.Contains(s, v.FinalText, "FINAL users=1")
	require.Contains(s, v.FinalText, "hello from 42")
	require.Equal(s, 1, v.Conversation.Tools)
}

// steered: the guidance is given while the tool works and reaches the model in the same turn. Mostly it comes with the
// tool's result. An agent that is slow to read takes it after the tool's end; then it is answered apart.
func steered(s *scene) {
	v := s.midTool()
	done := make(chan ran, 1)
	go func() { done <- s.try("agent-runs", "steer", v.ID, "turn LEFT") }()
	s.until("the guidance is said", func() bool { return len(s.said(v.ID, "steer")) == 1 })
	s.release()
	r := <-done
	require.Zero(s, r.code, r.stderr)
	text := s.completes(v.ID).FinalText
	require.Contains(s, text, " users=2 ")
	require.Contains(s, text, `turn LEFT"`)
}

// interrupted: the turn ends in mid-tool, the process lives and takes another.
func interrupted(s *scene) {
	v := s.midTool()
	s.do("agent-runs", "interrupt", v.ID)
	require.False(s, gone(v.Process.PID))
	require.Equal(s, v.ID, s.do("agent-runs", "continue", "-q", v.ID, "something else [[say:with pleasure]]"))
	after := s.completes(v.ID)
	require.Equal(s, "SAID with pleasure", after.FinalText)
	require.Equal(s, v.Process.Identity, after.Process.Identity)
}

// stopped: neither what changed its session nor what ignores the hang-up remains.
func stopped(s *scene) {
	files := []string{"setsid", "nohup", "front"}
	stay := func(name string) string {
		return strings.ReplaceAll("sh -c 'echo $$ >%.new && mv %.new % && exec tail -f /dev/null'", "%", name)
	}
	id := s.delegate(s.tool("setsid " + stay("setsid") + " &\nnohup " + stay("nohup") + " >nohup.out 2>&1 &\n" + stay("front") + "\n"))
	for _, f := range files {
		s.until(f+" works", s.exists(f))
	}
	agent := s.inspect(id).Process.PID
	s.do("agent-runs", "stop", id)
	v := s.over(id)
	require.Equal(s, "stopped", v.Status)
	require.Equal(s, "cancelled", v.Cause)
	require.Equal(s, journal.TreeEmpty, v.Exit.Tree)
	for _, f := range files {
		require.True(s, gone(s.pid(f)), "%s is left", f)
	}
	require.True(s, gone(agent))
}

func continued(s *scene) {
	first := s.completes(s.delegate("remember this [[say:one]]"))
	v := s.completes(s.do("agent-runs", "continue", "-q", first.ID, "and now"))
	require.NotEqual(s, first.ID, v.ID)
	require.Equal(s, first.ID, v.Predecessor)
	require.Contains(s, v.FinalText, "OK users=2")
	require.Contains(s, v.FinalText, `and now"`)
	require.Equal(s, first.Conversation.SessionID, v.Conversation.SessionID)
}

// continuedAfterKill: the session outlives an agent that was killed in mid-tool.
func continuedAfterKill(s *scene) {
	first := s.midTool()
	require.NoError(s, syscall.Kill(first.Process.PID, syscall.SIGKILL))
	require.Equal(s, "failed", s.over(first.ID).Status)
	v := s.completes(s.do("agent-runs", "continue", "-q", first.ID, "and now"))
	require.Contains(s, v.FinalText, "users=2")
	require.Contains(s, v.FinalText, `and now"`)
}

func forked(s *scene) {
	first := s.completes(s.delegate("remember this [[say:one]]"))
	v := s.completes(s.delegate("--context", "fork:"+first.ID, "and now"))
	require.Contains(s, v.FinalText, "OK users=2")
	require.NotEqual(s, first.Conversation.SessionID, v.Conversation.SessionID)
	require.NotEmpty(s, v.Conversation.SessionID)
}

// questioned: the tool runs when the answer allows it and not before.
func questioned(s *scene) {
	id := s.delegate("--permission", "ask", s.tool("echo yes >allowed\n"))
	question := func() string {
		c := s.inspect(id).Conversation
		if c == nil || len(c.Questions) == 0 {
			return ""
		}
		return c.Questions[0].ID
	}
	s.until("it asks", func() bool { return question() != "" || s.inspect(id).Result != nil })
	require.NotEmpty(s, question(), "it ended without a question")
	require.False(s, s.exists("allowed")())
	s.do("agent-runs", "answer", id, question(), "allow")
	v := s.completes(id)
	require.Contains(s, v.FinalText, "results=1")
	require.True(s, s.exists("allowed")())
}

// used: what the model's server counted for each of two calls is what the run tells.
func used(s *scene) {
	v := s.completes(s.delegate(s.tool("echo hello\n")))
	require.NotNil(s, v.Usage)
	require.EqualValues(s, 2*modelserver.InputTokens, v.Usage.Input+v.Usage.CacheRead)
	require.EqualValues(s, 2*modelserver.OutputTokens, v.Usage.Output)
}

func priced(s *scene) {
	v := s.completes(s.delegate("count [[say:one]]"))
	require.NotNil(s, v.Usage)
	require.NotNil(s, v.Usage.CostUSD)
	require.Positive(s, *v.Usage.CostUSD)
}

// agentKilled: it takes its tool with it, and nobody takes what it said so far for an answer.
func agentKilled(s *scene) {
	v := s.midTool()
	require.NoError(s, syscall.Kill(v.Process.PID, syscall.SIGKILL))
	dead := s.over(v.ID)
	require.Equal(s, "failed", dead.Status)
	require.Equal(s, "signal", dead.Cause)
	require.Equal(s, journal.TreeEmpty, dead.Exit.Tree)
	require.True(s, gone(s.pid("pid")))
}

// modelFails: what the model's server does wrong is never told as success. Agents that try again without end are
// stopped by the limit on silence.
func modelFails(s *scene) {
	ids := map[string]string{}
	for _, way := range []string{"status:401", "status:500", "drop"} {
		words := []string{"do it [[" + way + "]]"}
		if endless(s.agent.name) {
			words = append(words, "--idle-timeout", "6s")
		}
		ids[way] = s.delegate(words...)
	}
	for way, id := range ids {
		v := s.over(id)
		if endless(s.agent.name) && v.Status == "stopped" {
			require.Equal(s, "timeout", v.Cause, way)
			continue
		}
		require.Equal(s, "failed", v.Status, way)
		require.Equal(s, "agent", v.Cause, way)
		require.NotEmpty(s, v.Result.Error, way)
	}
}

func modelSilent(s *scene) {
	began := time.Now()
	v := s.over(s.delegate("--idle-timeout", "5s", "do it [[hang]]"))
	require.Equal(s, "stopped", v.Status)
	require.Equal(s, "timeout", v.Cause)
	require.Contains(s, v.Result.Error, "no sign of life for 5s")
	require.Greater(s, time.Since(began), 5*time.Second)
}

// supervisorKilled: another one goes on where the talk stands.
func supervisorKilled(s *scene) {
	v := s.midTool()
	var sup journal.Supervisor
	require.NoError(s, journal.Read(s.home.Supervisor(), &sup))
	require.NoError(s, syscall.Kill(sup.PID, syscall.SIGKILL))
	s.until("another supervisor is there", func() bool {
		var next journal.Supervisor
		return journal.Read(s.home.Supervisor(), &next) == nil && next.Incarnation != sup.Incarnation
	})
	s.release()
	s.once(v.ID)
}

func shimKilled(s *scene) {
	v := s.midTool()
	require.NoError(s, syscall.Kill(v.Process.Shim.PID, syscall.SIGKILL))
	s.until("the shim is gone", func() bool { return gone(v.Process.Shim.PID) })
	s.release()
	s.once(v.ID)
}

// once is the end of a run to which nothing was said twice.
func (s *scene) once(id string) {
	s.Helper()
	v := s.completes(id)
	require.Contains(s, v.FinalText, "FINAL users=1")
	require.Contains(s, v.FinalText, "results=1")
	require.Contains(s, v.FinalText, "tool done")
	require.Len(s, s.said(id, "prompt"), 1)
}
