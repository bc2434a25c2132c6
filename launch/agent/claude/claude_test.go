package claude

import (
	"encoding/hex"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/talktest"
)

var _ = flag.Bool("update", false, "write the golden files")

const run = "01KABCDEFGHJKMNPQRSTVWXYZ0"

func task(a journal.Agent) agent.Task { return agent.Task{Agent: a, RunID: run} }

func TestGolden(t *testing.T) {
	for _, version := range []string{"2.1.332", "2.1.197"} {
		t.Run(version, func(t *testing.T) { talktest.Golden(t, Runtime{}, "testdata/"+version) })
	}
}

func FuzzHear(f *testing.F) {
	talktest.Fuzz(f, Runtime{}, task(journal.Agent{Permission: journal.PermissionAsk}), "testdata/*/*.talk")
}

func TestCommand(t *testing.T) {
	own := " --session-id=" + sessionID(run)
	for _, c := range []struct {
		name, context, want, err string
		agent                    journal.Agent
	}{
		{name: "nothing asked for", want: own},
		{name: "a policy of ours", agent: journal.Agent{Permission: journal.PermissionAsk}, want: own},
		{name: "a mode of its own", agent: journal.Agent{Permission: "acceptEdits"}, want: " --permission-mode=acceptEdits" + own},
		{name: "all else", agent: journal.Agent{Model: "anthropic/m", Thinking: "max", SystemPrompt: "-be brief", Tools: []string{"Read", "Bash"}},
			want: " --model=m --effort=max --system-prompt=-be brief --tools=Read,Bash" + own},
		{name: "resume", context: journal.ContextResume, agent: journal.Agent{SessionID: "s"}, want: " --resume=s"},
		{name: "fork", context: journal.ContextFork, agent: journal.Agent{SessionID: "s"}, want: " --resume=s --fork-session" + own},
		{name: "resume nothing", context: journal.ContextResume, err: "needs the id of the session to resume"},
		{name: "an unknown level", agent: journal.Agent{Thinking: "off"}, err: `no thinking level "off": it has low`},
		{name: "a huge system prompt", agent: journal.Agent{SystemPrompt: strings.Repeat("x", 200<<10)}, err: "too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := task(c.agent)
			asked.Context = c.context
			got, err := Runtime{}.Command(asked)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			_, more, _ := strings.Cut(strings.Join(got.Args, " "), "--permission-prompt-tool stdio")
			require.Equal(t, c.want, more)
		})
	}
}

func TestASessionIsNamedByItsRun(t *testing.T) {
	id := ulid.MustParse(run)
	began := strings.ReplaceAll(sessionID(run)[:13], "-", "")
	require.Equal(t, hex.EncodeToString(id[:6]), began, "the time of the run")
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, sessionID(run))
	require.Equal(t, sessionID(run), sessionID(run))
	require.NotEqual(t, sessionID(run), sessionID(run[:25]+"1"))
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, sessionID("of another kind"))
	require.NotEqual(t, messageID(run, "a"), messageID(run, "b"))
}

// playing is a fold that is up, with what it told since it was last asked.
type playing struct {
	*agent.Fold
	t      *testing.T
	events []agent.Event
}

func play(t *testing.T, a journal.Agent) *playing {
	p := &playing{t: t}
	p.Fold = agent.NewFold(Runtime{}, task(a), func(e agent.Event) { p.events = append(p.events, e) })
	p.due()
	p.hear(`{"type":"control_response","response":{"subtype":"success","request_id":"init:","response":{"models":[{"value":"opus"},{"value":"haiku"}]}}}`)
	return p
}

func (p *playing) due() (lines []string) {
	for _, m := range p.Due() {
		lines = append(lines, string(m.Line))
		p.Said(journal.Said{Key: m.Key, Kind: string(m.Kind), Question: m.Question, Answer: m.Answer})
	}
	return lines
}

func (p *playing) hear(lines ...string) (said []string) {
	p.events = nil
	for _, line := range lines {
		p.Line([]byte(line))
		said = append(said, p.due()...)
	}
	return said
}

func (p *playing) of(typ agent.Type) (all []agent.Event) {
	for _, e := range p.events {
		if e.Type == typ {
			all = append(all, e)
		}
	}
	return all
}

const begun = `{"type":"system","subtype":"init","session_id":"s","model":"m"}`

func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name, result, err string
		want              agent.Outcome
	}{
		{"success", `"subtype":"success","is_error":false,"result":"done"`, "", agent.Completed},
		{"a success that is an error", `"subtype":"success","is_error":true,"result":"API Error: 400"`, "API Error: 400", agent.Failed},
		{"a model that is not there", `"subtype":"success","is_error":true,"api_error_status":404,"result":"no such model"`, "no such model; claude has the models opus, haiku", agent.Failed},
		{"its own limit", `"subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns (1)"]`, "Reached maximum number of turns (1)", agent.TurnLimit},
		{"its own budget", `"subtype":"error_max_budget_usd","is_error":true`, "error_max_budget_usd", agent.TurnLimit},
		{"interrupted", `"subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools","errors":["x"]`, "", agent.Interrupted},
		{"broken", `"subtype":"error_during_execution","is_error":true,"errors":["a","b"]`, "a; b", agent.Failed},
		{"a subtype that is an error", `"subtype":"error_of_tomorrow"`, "error_of_tomorrow", agent.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, journal.Agent{Model: "m"})
			p.hear(begun, `{`+c.result+`,"type":"result"}`)
			require.Equal(t, &agent.Ending{Outcome: c.want, Error: c.err}, p.State.Ended)
			require.True(t, p.State.Settled(), "waiting for %q", p.State.Waiting())
		})
	}
}

func TestAnInterruptOfAVersionThatGivesNoReason(t *testing.T) {
	result := `{"type":"result","subtype":"error_during_execution","is_error":true}`
	p := play(t, journal.Agent{})
	p.hear(begun)
	p.Said(journal.Said{Key: "i", Kind: string(agent.Interrupt)})
	p.hear(result)
	require.Equal(t, agent.Interrupted, p.State.Ended.Outcome)
	p.Said(journal.Said{Key: "late", Kind: string(agent.Interrupt)})
	p.Said(journal.Said{Key: "next", Kind: string(agent.Prompt)})
	p.hear(begun, result)
	require.Equal(t, agent.Failed, p.State.Ended.Outcome, "the interrupt came when nothing ran")
}

func TestTheCostIsToldAsADifference(t *testing.T) {
	p := play(t, journal.Agent{})
	p.hear(begun, `{"type":"result","subtype":"success","total_cost_usd":0.5,"usage":{"input_tokens":10,"output_tokens":2}}`)
	p.hear(begun, `{"type":"result","subtype":"success","total_cost_usd":0.75,"usage":{"input_tokens":20,"output_tokens":3}}`)
	cost := 0.75
	require.Equal(t, journal.Usage{Input: 30, Output: 5, CostUSD: &cost}, p.State.View.Usage)
}

func TestAResumedSessionsOwnTotalIsNotOurs(t *testing.T) {
	p := play(t, journal.Agent{})
	p.hear(begun, `{"type":"result","subtype":"success","total_cost_usd":9.5,"usage":{"input_tokens":10},
		"model_usage_since_last_result":{"a":{"inputTokens":10,"costUSD":0.25},"b":{"inputTokens":5,"outputTokens":1,"costUSD":0.25}}}`)
	cost := 0.5
	require.Equal(t, journal.Usage{Input: 15, Output: 1, CostUSD: &cost}, p.State.View.Usage)
}

func TestTokensAreCountedWhileTheTurnRuns(t *testing.T) {
	p := play(t, journal.Agent{})
	p.hear(begun,
		`{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1","usage":{"input_tokens":60,"cache_read_input_tokens":40,"output_tokens":1}}}}`,
		`{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":60,"cache_read_input_tokens":40,"output_tokens":1}}}`,
		`{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"b"}],"usage":{"input_tokens":60,"cache_read_input_tokens":40,"output_tokens":1}}}`,
		`{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":20}}}`)
	require.Equal(t, journal.Usage{Input: 60, Output: 20, CacheRead: 40}, p.State.View.Usage)
	require.Equal(t, 1, p.State.View.Turns)
	p.hear(`{"type":"result","subtype":"success","usage":{"input_tokens":60,"cache_read_input_tokens":40,"output_tokens":20}}`)
	require.Equal(t, journal.Usage{Input: 60, Output: 20, CacheRead: 40}, p.State.View.Usage)
}

func TestWhatWeDoNotServeIsRefused(t *testing.T) {
	p := play(t, journal.Agent{})
	said := p.hear(`{"type":"control_request","request_id":"r","request":{"subtype":"hook_callback"}}`)
	require.Equal(t, []string{`{"response":{"error":"not supported: hook_callback","request_id":"r","subtype":"error"},"type":"control_response"}`}, said)
}

func TestASubagentIsNotTheAgent(t *testing.T) {
	p := play(t, journal.Agent{})
	p.hear(begun, `{"type":"assistant","parent_tool_use_id":"t","message":{"id":"m9","usage":{"input_tokens":5},"content":[{"type":"text","text":"inner"},{"type":"tool_use","id":"x","name":"Bash","input":{"command":"ls"}}]}}`)
	require.Empty(t, p.of(agent.Text))
	require.Empty(t, p.of(agent.Step))
	require.Equal(t, "Bash: ls", p.State.View.Doing)
}

func TestQuestionsOfTheModel(t *testing.T) {
	asked := func(questions string) string {
		return `{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[` + questions + `]}}}`
	}
	red := `{"question":"Color?","options":[{"label":"Red"},{"label":"Blue"}]}`
	for _, c := range []struct{ name, questions, kind, text, answer, want string }{
		{"one of some", red, agent.QuestionChoice, "Color?", "Blue", `"answers":{"Color?":"Blue"}`},
		{"none of them", red, agent.QuestionChoice, "Color?", "Green", ""},
		{"declined", red, agent.QuestionChoice, "Color?", "deny", `"behavior":"deny"`},
		{"two", red + `,{"question":"Name?"}`, agent.QuestionText, "Color? (Red | Blue)\nName?", "as you like", `"answers":{"Color?":"as you like","Name?":"as you like"}`},
		{"of tomorrow", `"what"`, agent.QuestionPermission, `{"questions":["what"]}`, "allow", `"updatedInput":{"questions":["what"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := play(t, journal.Agent{Permission: journal.PermissionAsk})
			p.hear(begun, asked(c.questions))
			q := p.State.Open()[0]
			require.Equal(t, c.kind, q.Kind)
			require.Equal(t, c.text, q.Text)
			m, err := p.Talk.Answer("k", q, c.answer)
			if c.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Contains(t, string(m[0].Line), c.want)
		})
	}
}

func TestALineOf100MB(t *testing.T) {
	line := []byte(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"` + talktest.Long() + `"}]}}`)
	talk := newTalk(task(journal.Agent{}))
	begin := time.Now()
	h := talk.Hear(line)
	t.Logf("%d MB in %s", len(line)>>20, time.Since(begin))
	require.Len(t, h.Events, 1)
	require.Less(t, len(h.Events[0].Text), 4000)
}
