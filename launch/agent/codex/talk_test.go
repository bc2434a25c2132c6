package codex

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/streamtest"
)

// began leads a talk up to its running first turn.
func began(t *testing.T, task agent.Task) (*agent.Fold, *[]agent.Event) {
	t.Helper()
	events := new([]agent.Event)
	f := agent.NewFold(Runtime{}, task, func(e agent.Event) { *events = append(*events, e) })
	say(f, f.Due())
	for _, line := range []string{
		`{"id":"init:","result":{}}`,
		`{"id":"thread:","result":{"thread":{"id":"T","path":"/s"},"model":"m"}}`,
		`{"id":"prompt:first","result":{"turn":{"id":"R"}}}`,
	} {
		f.Line([]byte(line))
		say(f, f.Due())
	}
	require.True(t, f.State.Working)
	*events = nil
	return f, events
}

func say(f *agent.Fold, all []agent.Message) {
	for _, m := range all {
		f.Said(journal.Said{Key: m.Key, Kind: string(m.Kind), At: f.Heard, Question: m.Question, Answer: m.Answer})
	}
}

func TestThreadParams(t *testing.T) {
	for name, c := range map[string]struct {
		agent   journal.Agent
		context string
		want    string
	}{
		"allow":  {journal.Agent{Permission: "allow"}, "fresh", `{"id":"thread:","method":"thread/start","params":{"approvalPolicy":"never","cwd":"/c","sandbox":"danger-full-access"}}`},
		"deny":   {journal.Agent{Permission: "deny"}, "fresh", `{"id":"thread:","method":"thread/start","params":{"approvalPolicy":"never","cwd":"/c","sandbox":"workspace-write"}}`},
		"ask":    {journal.Agent{Permission: "ask"}, "fresh", `{"id":"thread:","method":"thread/start","params":{"approvalPolicy":"untrusted","cwd":"/c","sandbox":"workspace-write"}}`},
		"mode":   {journal.Agent{Permission: "read-only"}, "fresh", `{"id":"thread:","method":"thread/start","params":{"approvalPolicy":"never","cwd":"/c","sandbox":"read-only"}}`},
		"model":  {journal.Agent{Permission: "allow", Model: "p/a/b", SystemPrompt: "<be> good"}, "fresh", `{"id":"thread:","method":"thread/start","params":{"approvalPolicy":"never","cwd":"/c","developerInstructions":"<be> good","model":"a/b","modelProvider":"p","sandbox":"danger-full-access"}}`},
		"resume": {journal.Agent{Permission: "allow", SessionID: "S"}, "resume", `{"id":"thread:","method":"thread/resume","params":{"approvalPolicy":"never","cwd":"/c","excludeTurns":true,"sandbox":"danger-full-access","threadId":"S"}}`},
		"fork":   {journal.Agent{Permission: "allow", SessionID: "S"}, "fork", `{"id":"thread:","method":"thread/fork","params":{"approvalPolicy":"never","cwd":"/c","excludeTurns":true,"sandbox":"danger-full-access","threadId":"S"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := agent.NewFold(Runtime{}, agent.Task{Agent: c.agent, Cwd: "/c", Context: c.context}, nil)
			say(f, f.Due())
			f.Line([]byte(`{"id":"init:","result":{}}`))
			due := f.Due()
			require.Len(t, due, 2)
			require.Equal(t, `{"method":"initialized","params":{}}`, string(due[0].Line))
			require.Equal(t, c.want, string(due[1].Line))
		})
	}
}

func TestWhatCannotBeHad(t *testing.T) {
	_, err := Runtime{}.Command(agent.Task{Agent: journal.Agent{Tools: []string{"bash"}}})
	require.ErrorContains(t, err, "list of tools")
	_, err = Runtime{}.Command(agent.Task{Agent: journal.Agent{Model: "p/"}})
	require.ErrorContains(t, err, "PROVIDER/ID")
	talk := Runtime{}.Talk(task("x"))
	_, err = talk.Prompt("k", "x")
	require.ErrorContains(t, err, "not ready")
	_, err = talk.Steer("k", "x")
	require.ErrorContains(t, err, "no turn")
	_, err = talk.Answer("k", journal.Question{ID: "7"}, "allow")
	require.ErrorContains(t, err, "does not wait")
}

func TestOpeningFails(t *testing.T) {
	asked := task("x")
	asked.Model = "wanted"
	for name, c := range map[string]struct{ line, want string }{
		"thread": {`{"id":"thread:","error":{"code":-32600,"message":"thread T already has an active writer"}}`, "already has an active writer"},
		"model":  {`{"id":"thread:","result":{"thread":{"id":"T"},"model":"other"}}`, "codex took other"},
		"none":   {`{"id":"thread:","result":{}}`, "no thread"},
	} {
		t.Run(name, func(t *testing.T) {
			f := agent.NewFold(Runtime{}, asked, nil)
			say(f, f.Due())
			f.Line([]byte(`{"id":"init:","result":{}}`))
			say(f, f.Due())
			f.Line([]byte(c.line))
			require.True(t, f.State.Over)
			require.Contains(t, f.State.Error, c.want)
			require.Empty(t, f.Due())
		})
	}
}

func TestFirstPromptRefused(t *testing.T) {
	f := agent.NewFold(Runtime{}, task("x"), nil)
	say(f, f.Due())
	for _, line := range []string{`{"id":"init:","result":{}}`, `{"id":"thread:","result":{"thread":{"id":"T"}}}`, `{"id":"prompt:first","error":{"code":-32600,"message":"no such effort"}}`} {
		f.Line([]byte(line))
		say(f, f.Due())
	}
	require.True(t, f.State.Settled())
	require.Equal(t, &agent.Ending{Outcome: agent.Failed, Error: "no such effort"}, f.State.Ended)
}

func TestQuestions(t *testing.T) {
	ask := task("x")
	ask.Permission = journal.PermissionAsk
	for name, c := range map[string]struct{ asked, answer, want string }{
		"command":       {`{"id":0,"method":"item/commandExecution/requestApproval","params":{"command":"ls"}}`, "allow", `{"id":0,"result":{"decision":"accept"}}`},
		"text id":       {`{"id":"0","method":"item/fileChange/requestApproval","params":{}}`, "deny", `{"id":"0","result":{"decision":"decline"}}`},
		"grant":         {`{"id":3,"method":"item/permissions/requestApproval","params":{"permissions":{"network":{"enabled":true}}}}`, "allow", `{"id":3,"result":{"permissions":{"network":{"enabled":true}},"scope":"turn"}}`},
		"grant nothing": {`{"id":3,"method":"item/permissions/requestApproval","params":{"permissions":{"network":{"enabled":true}}}}`, "deny", `{"id":3,"result":{"permissions":{},"scope":"turn"}}`},
		"choice":        {`{"id":4,"method":"item/tool/requestUserInput","params":{"questions":[{"id":"q","question":"which","options":[{"label":"a"},{"label":"b"}]}]}}`, "b", `{"id":4,"result":{"answers":{"q":{"answers":["b"]}}}}`},
		"two texts":     {`{"id":4,"method":"item/tool/requestUserInput","params":{"questions":[{"id":"q","question":"1"},{"id":"r","question":"2"}]}}`, "x\ny\nz", `{"id":4,"result":{"answers":{"q":{"answers":["x"]},"r":{"answers":["y\nz"]}}}}`},
		"server":        {`{"id":5,"method":"mcpServer/elicitation/request","params":{"serverName":"s","message":"may I"}}`, "allow", `{"id":5,"result":{"action":"accept","content":{}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := began(t, ask)
			f.Line([]byte(c.asked))
			require.Len(t, f.State.Open(), 1)
			q := f.State.Open()[0]
			m, err := f.Talk.Answer("01A", q, c.answer)
			require.NoError(t, err)
			require.Equal(t, c.want, string(m[0].Line))
			say(f, m)
			require.Empty(t, f.State.Open())
			if q.Kind == agent.QuestionPermission {
				_, err = f.Talk.Answer("01A", q, "perhaps")
				require.ErrorContains(t, err, "expected allow or deny")
			}
		})
	}
}

func TestUnknownRequestIsRefused(t *testing.T) {
	f, _ := began(t, task("x"))
	f.Line([]byte(`{"id":9,"method":"item/tool/call","params":{}}`))
	due := f.Due()
	require.Len(t, due, 1)
	require.Equal(t, `{"id":9,"error":{"code":-32601,"message":"not supported: item/tool/call"}}`, string(due[0].Line))
}

func TestInterrupt(t *testing.T) {
	f, _ := began(t, task("x"))
	m, err := f.Talk.Interrupt("01I")
	require.NoError(t, err)
	require.Equal(t, `{"id":"01I","method":"turn/interrupt","params":{"threadId":"T","turnId":"R"}}`, string(m[0].Line))
	require.Equal(t, `{"id":"01I:clean","method":"thread/backgroundTerminals/clean","params":{"threadId":"T"}}`, string(m[1].Line))
	require.Equal(t, agent.Interrupt, m[0].Kind)
	require.Equal(t, agent.Setup, m[1].Kind)
}

func TestNotYet(t *testing.T) {
	f := agent.NewFold(Runtime{}, task("x"), nil)
	say(f, f.Due())
	for _, line := range []string{`{"id":"init:","result":{}}`, `{"id":"thread:","result":{"thread":{"id":"T"}}}`} {
		f.Line([]byte(line))
		say(f, f.Due())
	}
	_, err := f.Talk.Steer("01S", "go")
	require.ErrorAs(t, err, new(agent.Later))
}

func TestSteerRefused(t *testing.T) {
	for message, stale := range map[string]bool{
		"no active turn to steer":                   true,
		"expected active turn id `a` but found `b`": true,
		"input is too long":                         false,
	} {
		f, events := began(t, task("x"))
		m, err := f.Talk.Steer("01S", "go")
		require.NoError(t, err)
		say(f, m)
		answer, _ := json.Marshal(map[string]any{"id": "01S", "error": map[string]any{"message": message}})
		f.Line(answer)
		require.Equal(t, []agent.Event{{Type: agent.Refused, Key: "01S", Error: message, Stale: stale}}, *events)
		require.Empty(t, f.State.Waiting())
	}
}

func TestLongLine(t *testing.T) {
	f, events := began(t, task("x"))
	line := []byte(`{"method":"item/completed","params":{"threadId":"T","item":{"type":"commandExecution","id":"c","command":"cat","aggregatedOutput":"` + streamtest.LongText() + `","exitCode":0,"status":"completed"}}}`)
	start := time.Now()
	f.Line(line)
	require.Less(t, time.Since(start), streamtest.Long)
	require.Len(t, *events, 2)
	require.Equal(t, agent.ToolEnded, (*events)[1].Type)
	require.LessOrEqual(t, len((*events)[1].Text), 2000)
}

func FuzzHear(f *testing.F) {
	for _, line := range []string{
		`{"id":"init:","result":{}}`, `{"id":"thread:","result":{"thread":{"id":"T"}}}`, `{"id":"prompt:first","result":{"turn":{"id":"R"}}}`,
		`{"id":0,"method":"item/commandExecution/requestApproval","params":{"command":"ls"}}`,
		`{"id":1,"method":"item/permissions/requestApproval","params":{"permissions":null}}`,
		`{"method":"turn/completed","params":{"threadId":"T","turn":{"id":"R","status":"failed"}}}`,
		`{"method":"item/completed","params":{"threadId":"T","item":{"type":"reasoning","summary":["a",1],"content":7}}}`,
		`{"method":"item/started","params":{"threadId":"T","item":{"type":"fileChange","id":"f","changes":[{"path":"p"}]}}}`,
		string(totals("T", 3, 3)), "garbage", `null`, `[]`, `{"id":{},"method":7}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var stories [2]agent.State
		for i := range stories {
			fold := agent.NewFold(Runtime{}, task("x"), nil)
			say(fold, fold.Due())
			for _, line := range append([]string{`{"id":"init:","result":{}}`, `{"id":"thread:","result":{"thread":{"id":"T"}}}`}, strings.Split(text, "\n")...) {
				fold.Line([]byte(line))
				say(fold, fold.Due())
			}
			stories[i] = fold.State
		}
		require.Equal(t, stories[0].View, stories[1].View)
		require.Equal(t, stories[0].FinalText(), stories[1].FinalText())
	})
}
