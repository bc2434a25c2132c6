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

// said is a piece of a message that bears an id.
func said(message, text string) string {
	return strings.NewReplacer(`"content"`, `"messageId":"`+message+`","content"`, `"hi"`, `"`+text+`"`).Replace(chunk)
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
	t.Run("joins after the answer has begun", func(t *testing.T) {
		f, _ := hear(OpenCode(), task("x"), greeting, opened, said("m1", "one "), said("m1", "answer"))
		m, err := f.Talk.Steer("01S", "go")
		require.NoError(t, err)
		say(f, m)
		f.Line([]byte(said("m2", "another")))
		f.Line([]byte(ended))
		require.Equal(t, "another", f.State.FinalText())
		require.Equal(t, 2, f.State.View.Turns)
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
