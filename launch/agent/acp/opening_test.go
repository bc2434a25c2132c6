package acp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

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
		"gemini resume":  {Gemini(), journal.Agent{}, "resume", "", "is deleted at the next start"},
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
