package acp

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/streamtest"
)

const (
	greeting = `{"jsonrpc":"2.0","id":"init:","result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}`
	opened   = `{"jsonrpc":"2.0","id":"session:","result":{"sessionId":"S"}}`
	chunk    = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}}}`
	question = `{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"S","toolCall":{"toolCallId":"c","title":"ls","kind":"execute","status":"pending"},"options":[{"optionId":"ever","kind":"allow_always"},{"optionId":"once","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}}`
	ended    = `{"jsonrpc":"2.0","id":"prompt:first","result":{"stopReason":"end_turn"}}`
)

// hear leads a fold through lines and says what is due after each.
func hear(r Runtime, task agent.Task, lines ...string) (*agent.Fold, *[]agent.Event) {
	events := new([]agent.Event)
	f := agent.NewFold(r, task, func(e agent.Event) { *events = append(*events, e) })
	say(f, f.Due())
	for _, line := range lines {
		f.Line([]byte(line))
		say(f, f.Due())
	}
	return f, events
}

func say(f *agent.Fold, all []agent.Message) {
	for _, m := range all {
		f.Said(journal.Said{Key: m.Key, Kind: string(m.Kind), At: f.Heard, Question: m.Question, Answer: m.Answer})
	}
}

func TestCommand(t *testing.T) {
	for name, c := range map[string]struct {
		runtime Runtime
		agent   journal.Agent
		context string
		args    string
		wrong   string
	}{
		"gemini":         {Gemini(), journal.Agent{}, "fresh", "--acp", ""},
		"gemini model":   {Gemini(), journal.Agent{Model: "google/gemini-2.5-flash"}, "fresh", "--acp -m gemini-2.5-flash", ""},
		"gemini bare":    {Gemini(), journal.Agent{Model: "flash"}, "fresh", "--acp -m flash", ""},
		"gemini other":   {Gemini(), journal.Agent{Model: "openai/x"}, "fresh", "", "google only"},
		"gemini fork":    {Gemini(), journal.Agent{}, "fork", "", "session/fork"},
		"gemini resume":  {Gemini(), journal.Agent{}, "resume", "", "deletes a session"},
		"opencode":       {OpenCode(), journal.Agent{Model: "p/m"}, "fresh", "acp", ""},
		"any":            {Of("claude-agent-acp --x  y"), journal.Agent{}, "fresh", "--x y", ""},
		"quotes":         {Of(`sh -c "x"`), journal.Agent{}, "fresh", "", "script"},
		"empty":          {Of("  "), journal.Agent{}, "fresh", "", "command line"},
		"system prompt":  {Of("x"), journal.Agent{SystemPrompt: "y"}, "fresh", "", "no system prompt"},
		"list of tools":  {Of("x"), journal.Agent{Tools: []string{"y"}}, "fresh", "", "no list of tools"},
		"fork elsewhere": {Of("x"), journal.Agent{}, "fork", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			i, err := c.runtime.Command(agent.Task{Agent: c.agent, Context: c.context})
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.args, strings.Join(i.Args, " "))
		})
	}
	i, err := OpenCode().Command(agent.Task{Agent: journal.Agent{Permission: journal.PermissionAsk}})
	require.NoError(t, err)
	require.Contains(t, i.Env, `OPENCODE_PERMISSION={"bash":"ask","edit":"ask"}`)
	require.Equal(t, []string{"claude-agent-acp"}, Of("claude-agent-acp --x").Programs())
}

func TestOpening(t *testing.T) {
	with := func(change func(*agent.Task)) agent.Task {
		t := task("x")
		change(&t)
		return t
	}
	model := with(func(t *agent.Task) { t.Model = "p/b" })
	mode := with(func(t *agent.Task) { t.Permission = "yolo" })
	thinking := with(func(t *agent.Task) { t.Thinking = "high" })
	resume := with(func(t *agent.Task) { t.Context, t.SessionID = journal.ContextResume, "S" })
	fork := with(func(t *agent.Task) { t.Context, t.SessionID = journal.ContextFork, "S" })
	greets := func(sessions string) string {
		return `{"id":"init:","result":{"protocolVersion":1,"agentCapabilities":` + sessions + `}}`
	}
	for name, c := range map[string]struct {
		task  agent.Task
		lines []string
		say   string // the last thing it wants said
		wrong string
	}{
		"fresh":          {task("x"), []string{greeting}, `{"jsonrpc":"2.0","id":"session:","method":"session/new","params":{"cwd":"/home/user/project","mcpServers":[]}}`, ""},
		"version":        {task("x"), []string{`{"id":"init:","result":{"protocolVersion":2}}`}, "", "version 2"},
		"login":          {task("x"), []string{greeting, `{"id":"session:","error":{"code":-32000,"message":"Authentication required"}}`}, "", "session: Authentication required"},
		"no session":     {task("x"), []string{greeting, `{"id":"session:","result":{}}`}, "", "no session"},
		"resume":         {resume, []string{greets(`{"loadSession":true,"sessionCapabilities":{"resume":{}}}`)}, `"method":"session/resume"`, ""},
		"load":           {resume, []string{greeting}, `"method":"session/load"`, ""},
		"loaded":         {resume, []string{greeting, `{"id":"session:","result":{"modes":{"currentModeId":"default"}}}`, chunk}, "", ""},
		"load is over":   {resume, []string{greeting, `{"id":"session:","result":{"modes":{"currentModeId":"default"}}}`, chunk, `{"id":"mode:","result":{}}`}, `"prompt:first"`, ""},
		"neither":        {resume, []string{greets(`{}`)}, "", "neither session/resume nor session/load"},
		"fork":           {fork, []string{greets(`{"sessionCapabilities":{"fork":{}}}`)}, `"method":"session/fork"`, ""},
		"no fork":        {fork, []string{greeting}, "", "session/fork"},
		"prompt":         {task("x"), []string{greeting, opened}, `{"jsonrpc":"2.0","id":"prompt:first","method":"session/prompt","params":{"prompt":[{"text":"x","type":"text"}],"sessionId":"S"}}`, ""},
		"model":          {model, []string{greeting, `{"id":"session:","result":{"sessionId":"S","models":{"availableModels":[{"modelId":"p/a"},{"modelId":"p/b"}],"currentModelId":"p/a"}}}`}, `"method":"session/set_model","params":{"modelId":"p/b","sessionId":"S"}`, ""},
		"model is it":    {model, []string{greeting, `{"id":"session:","result":{"sessionId":"S","models":{"availableModels":[{"modelId":"p/b"}],"currentModelId":"p/b"}}}`}, `"prompt:first"`, ""},
		"model option":   {model, []string{greeting, `{"id":"session:","result":{"sessionId":"S","configOptions":[{"id":"m","category":"model","currentValue":"p/a","options":[{"value":"p/a"},{"value":"p/b"}]}]}}`}, `"method":"session/set_config_option","params":{"configId":"m","sessionId":"S","value":"p/b"}`, ""},
		"model chosen":   {model, []string{greeting, `{"id":"session:","result":{"sessionId":"S","models":{"availableModels":[{"modelId":"p/b"}]}}}`, `{"id":"model:","result":{}}`}, `"prompt:first"`, ""},
		"model refused":  {model, []string{greeting, `{"id":"session:","result":{"sessionId":"S","models":{"availableModels":[{"modelId":"p/b"}]}}}`, `{"id":"model:","error":{"message":"no"}}`}, "", "model: no"},
		"model unknown":  {model, []string{greeting, `{"id":"session:","result":{"sessionId":"S","models":{"availableModels":[{"modelId":"p/a"}]}}}`}, "", "no model p/b; it knows p/a"},
		"model no":       {model, []string{greeting, opened}, "", "does not let its model be chosen"},
		"mode":           {mode, []string{greeting, `{"id":"session:","result":{"sessionId":"S","modes":{"availableModes":[{"id":"yolo"}]}}}`}, `"method":"session/set_mode","params":{"modeId":"yolo","sessionId":"S"}`, ""},
		"mode unknown":   {mode, []string{greeting, `{"id":"session:","result":{"sessionId":"S","modes":{"availableModes":[{"id":"plan"}]}}}`}, "", "no mode yolo; it knows plan"},
		"thinking":       {thinking, []string{greeting, `{"id":"session:","result":{"sessionId":"S","configOptions":[{"id":"t","category":"thought_level","options":[{"value":"high"}]}]}}`}, `"configId":"t"`, ""},
		"thinking no":    {thinking, []string{greeting, opened}, "", "thinking high"},
		"request of its": {task("x"), []string{greeting, opened, `{"id":7,"method":"fs/read_text_file","params":{}}`}, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"not supported: fs/read_text_file"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := agent.NewFold(Of("x"), c.task, nil)
			say(f, f.Due())
			var last string
			for _, line := range c.lines {
				f.Line([]byte(line))
				last = ""
				for _, m := range f.Due() {
					last = string(m.Line)
					say(f, []agent.Message{m})
				}
			}
			require.Contains(t, last, c.say)
			require.Equal(t, c.wrong != "", f.State.Over)
			require.Contains(t, f.State.Error, c.wrong)
		})
	}
}

func TestReplayedHistoryIsNobodysTurn(t *testing.T) {
	resume := task("x")
	resume.Context, resume.SessionID = journal.ContextResume, "S"
	f, events := hear(Of("x"), resume, greeting, chunk,
		`{"method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"tool_call","toolCallId":"old","title":"ls"}}}`,
		`{"method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"usage_update","cost":{"amount":5,"currency":"USD"}}}}`,
		`{"id":"session:","result":{}}`,
		`{"method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"usage_update","cost":{"amount":5.5,"currency":"USD"}}}}`)
	require.Equal(t, 0, f.State.View.Turns+f.State.View.Tools)
	require.Equal(t, "", f.State.FinalText())
	require.InDelta(t, 0.5, *f.State.View.Usage.CostUSD, 1e-9)
	require.Equal(t, "S", f.State.View.SessionID)
	require.Equal(t, agent.Used, (*events)[len(*events)-1].Type)
}

func TestOutcomes(t *testing.T) {
	for answer, want := range map[string]agent.Ending{
		`"result":{"stopReason":"end_turn"}`:                                  {Outcome: agent.Completed},
		`"result":{"stopReason":"cancelled"}`:                                 {Outcome: agent.Interrupted},
		`"result":{"stopReason":"max_turn_requests"}`:                         {Outcome: agent.TurnLimit, Error: "the agent's own limit of model calls is reached"},
		`"result":{"stopReason":"refusal"}`:                                   {Outcome: agent.Failed, Error: "the model refused to go on"},
		`"result":{"stopReason":"new"}`:                                       {Outcome: agent.Failed, Error: "the turn ended with the unknown reason new"},
		`"error":{"code":-32603,"message":"Internal","data":{"details":"d"}}`: {Outcome: agent.Failed, Error: "Internal: d"},
		`"error":{"code":7}`:                                                  {Outcome: agent.Failed, Error: "error 7"},
	} {
		f, _ := hear(Of("x"), task("x"), greeting, opened, chunk, `{"id":"prompt:first",`+answer+`}`)
		require.Equal(t, &want, f.State.Ended)
		require.True(t, f.State.Settled())
		require.Equal(t, "hi", f.State.FinalText())
	}
}

func TestSteer(t *testing.T) {
	steering := strings.Replace(greeting, `"protocolVersion":1`, `"protocolVersion":1,"_meta":{"steering":{"supported":true}}`, 1)
	t.Run("announced", func(t *testing.T) {
		f, events := hear(Of("x"), task("x"), steering, opened, chunk)
		m, err := f.Talk.Steer("01S", "go")
		require.NoError(t, err)
		require.Equal(t, `{"jsonrpc":"2.0","id":"01S","method":"_session/steering","params":{"prompt":[{"text":"go","type":"text"}],"sessionId":"S"}}`, string(m[0].Line))
		say(f, m)
		f.Line([]byte(`{"id":"01S","result":{"outcome":"injected"}}`))
		require.Equal(t, agent.Event{Type: agent.Taken, Key: "01S"}, (*events)[len(*events)-1])
		require.False(t, f.State.Settled())
		f.Line([]byte(ended))
		require.True(t, f.State.Settled())
	})
	t.Run("would cancel", func(t *testing.T) {
		f, _ := hear(Gemini(), task("x"), greeting, opened, chunk)
		_, err := f.Talk.Steer("01S", "go")
		var later agent.Later
		require.ErrorAs(t, err, &later)
		f.Line([]byte(ended))
		m, err := f.Talk.Prompt("01S", "go")
		require.NoError(t, err)
		require.Equal(t, agent.Prompt, m[0].Kind)
	})
	t.Run("idle", func(t *testing.T) {
		f, _ := hear(OpenCode(), task("x"), greeting, opened, ended)
		_, err := f.Talk.Steer("01S", "go")
		require.ErrorContains(t, err, "no turn")
		_, err = f.Talk.Interrupt("01S")
		require.ErrorContains(t, err, "no turn")
	})
}

func TestAnswers(t *testing.T) {
	ask := asking()
	for answer, want := range map[string]string{
		"allow": `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"optionId":"once","outcome":"selected"}}}`,
		"deny":  `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"optionId":"no","outcome":"selected"}}}`,
		"ever":  `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"optionId":"ever","outcome":"selected"}}}`,
	} {
		f, _ := hear(Of("x"), ask, greeting, opened, question)
		require.Equal(t, agent.PhaseAsking, f.State.Phase())
		m, err := f.Talk.Answer("01A", f.State.Open()[0], answer)
		require.NoError(t, err)
		require.Equal(t, want, string(m[0].Line))
		_, err = f.Talk.Answer("01A", f.State.Open()[0], "perhaps")
		require.ErrorContains(t, err, "expected allow, deny, ever, once, no")
	}
	f, _ := hear(Of("x"), task("x"), greeting, opened, question) // nobody is asked: allow
	require.Equal(t, "allow", f.State.View.Questions[0].Answer)
	require.Equal(t, "policy:0", f.State.View.Questions[0].By)
}

func TestInterruptAnswersWhatIsOpen(t *testing.T) {
	f, events := hear(Of("x"), asking(), greeting, opened, question)
	m, err := f.Talk.Interrupt("01I")
	require.NoError(t, err)
	require.Len(t, m, 2)
	require.Equal(t, `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"S"}}`, string(m[0].Line))
	require.Equal(t, `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}`, string(m[1].Line))
	say(f, m)
	require.Empty(t, f.State.Open())
	f.Line([]byte(strings.Replace(question, `"id":0`, `"id":1`, 1))) // asked while it was being told
	due := f.Due()
	require.Len(t, due, 1)
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}`, string(due[0].Line))
	say(f, due)
	f.Line([]byte(`{"id":"prompt:first","result":{"stopReason":"cancelled"}}`))
	require.Equal(t, agent.Interrupted, f.State.Ended.Outcome)
	require.NotEqual(t, agent.Asked, (*events)[len(*events)-1].Type)
}

func TestLongLine(t *testing.T) {
	for name, output := range map[string]string{
		"raw":     `"rawOutput":{"output":"` + streamtest.LongText() + `"}`,
		"content": `"content":[{"type":"content","content":{"type":"text","text":"` + streamtest.LongText() + `"}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			f, events := hear(Of("x"), task("x"), greeting, opened)
			line := []byte(`{"method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed",` + output + `}}}`)
			start := time.Now()
			f.Line(line)
			require.Less(t, time.Since(start), streamtest.Long)
			last := (*events)[len(*events)-1]
			require.Equal(t, agent.ToolEnded, last.Type)
			require.Contains(t, last.Text, "0123456789abcdé\n")
			require.LessOrEqual(t, len(last.Text), 2000)
		})
	}
}

func FuzzHear(f *testing.F) {
	for _, line := range []string{
		greeting, opened, chunk, question, ended, `garbage`, `null`, `[]`, `{"id":{},"method":7}`,
		`{"method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"tool_call","toolCallId":"c","content":{}}}}`,
		`{"method":"session/update","params":{"sessionId":"S","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"failed","rawOutput":3,"content":[7,{"content":{"text":5}}]}}}`,
		`{"method":"session/update","params":{"update":{"sessionUpdate":"usage_update","cost":{"amount":1e308,"currency":"USD"}}}}`,
		`{"id":"prompt:first","error":{"data":[]}}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := append([]string{greeting, opened}, strings.Split(text, "\n")...)
		one, _ := hear(OpenCode(), task("x"), lines...)
		two, _ := hear(OpenCode(), task("x"), lines...)
		require.Equal(t, one.State.View, two.State.View)
		require.Equal(t, one.State.FinalText(), two.State.FinalText())
		if m, err := one.Talk.Interrupt("01I"); err == nil {
			require.NotEmpty(t, m)
		}
	})
}
