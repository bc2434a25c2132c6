package pi

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/talktest"
)

// playing is a fold with what it told, and whatever is due said at once.
type playing struct {
	*agent.Fold
	t      *testing.T
	events []agent.Event
	lines  []string
}

func play(t *testing.T, a journal.Agent) *playing {
	p := &playing{t: t}
	p.Fold = agent.NewFold(Runtime{}, task(a), func(e agent.Event) { p.events = append(p.events, e) })
	p.due()
	p.hear(`{"id":"init:","type":"response","success":true,"data":{"sessionId":"s","model":{"id":"m","provider":"p"}}}`)
	return p
}

func (p *playing) due() {
	for _, m := range p.Due() {
		p.said(m)
	}
}

func (p *playing) said(all ...agent.Message) {
	for _, m := range all {
		p.lines = append(p.lines, string(m.Line))
		p.Said(journal.Said{Key: m.Key, Kind: string(m.Kind), Question: m.Question, Answer: m.Answer})
	}
}

func (p *playing) steer(key string) {
	m, err := p.Talk.Steer(key, "text of "+key)
	require.NoError(p.t, err)
	p.said(m...)
}

func (p *playing) hear(lines ...string) {
	p.events = nil
	for _, line := range lines {
		p.Line([]byte(line))
		p.due()
	}
}

func (p *playing) keys(typ agent.Type) (keys []string) {
	for _, e := range p.of(typ) {
		keys = append(keys, e.Key)
	}
	return keys
}

func (p *playing) of(typ agent.Type) (all []agent.Event) {
	for _, e := range p.events {
		if e.Type == typ {
			all = append(all, e)
		}
	}
	return all
}

const (
	started = `{"id":"prompt:first","type":"response","success":true,"data":{"disposition":"started"}}`
	settled = `{"type":"agent_settled","aborted":false}`
)

func queued(key string) string {
	return fmt.Sprintf(`{"id":%q,"type":"response","success":true,"data":{"disposition":"queued"}}`, key)
}

func waits(n int) string {
	return `{"type":"queue_update","steering":[` + strings.TrimSuffix(strings.Repeat(`"x",`, n), ",") + `],"followUp":[]}`
}

func TestWhatIsQueuedIsTakenInOrder(t *testing.T) {
	p := play(t, journal.Agent{})
	p.hear(started)
	p.steer("a")
	p.steer("b")
	p.steer("c")
	p.hear(waits(1), waits(2), waits(3), queued("a"), queued("b"), queued("c"))
	require.Empty(t, p.keys(agent.Taken))
	p.hear(waits(1))
	require.Equal(t, []string{"a", "b"}, p.keys(agent.Taken))
	p.hear(waits(0))
	require.Equal(t, []string{"c"}, p.keys(agent.Taken))
	p.hear(settled)
	require.True(t, p.State.Settled())
}

func TestAResponseAfterTheDelivery(t *testing.T) {
	p := play(t, journal.Agent{})
	p.hear(started)
	p.steer("a")
	p.hear(waits(1), waits(0), queued("a"))
	require.Equal(t, []string{"a"}, p.keys(agent.Taken))
}

func TestWhatPiLeavesInItsQueueIsSaidAgain(t *testing.T) {
	p := play(t, journal.Agent{})
	p.hear(started)
	p.steer("a")
	p.hear(waits(1), queued("a"), settled)
	require.False(t, p.State.Settled())
	require.Contains(t, p.lines[len(p.lines)-1], "clear_queue")
	p.hear(waits(0), `{"id":"unqueue:again:1","type":"response","success":true,"data":{"steering":["text of a"],"followUp":[]}}`)
	require.Equal(t, `{"id":"again:1","type":"prompt","message":"text of a","streamingBehavior":"steer"}`, p.lines[len(p.lines)-1])
	require.False(t, p.State.Settled())
	p.hear(`{"id":"again:1","type":"response","success":true,"data":{"disposition":"started"}}`, `{"type":"agent_start"}`)
	require.Equal(t, []string{"a"}, p.keys(agent.Taken))
	require.False(t, p.State.Settled())
	p.hear(settled)
	require.True(t, p.State.Settled())
}

func TestWhatIsLeftAfterAnInterruptIsStale(t *testing.T) {
	p := play(t, journal.Agent{})
	p.hear(started)
	p.steer("a")
	p.hear(waits(1), queued("a"), `{"type":"agent_settled","aborted":true}`,
		waits(0), `{"id":"unqueue:refuse:1","type":"response","success":true,"data":{"steering":["text of a"],"followUp":[]}}`)
	require.Equal(t, []string{"a"}, p.keys(agent.Refused))
	require.True(t, p.State.Settled())
}

func TestAPromptThatIsRefused(t *testing.T) {
	p := play(t, journal.Agent{})
	p.hear(`{"id":"prompt:first","type":"response","success":false,"error":"no key"}`)
	require.Equal(t, &agent.Ending{Outcome: agent.Failed, Error: "no key"}, p.State.Ended)
	require.True(t, p.State.Settled())
}

func TestAnOldVersionIsAskedWhetherItIsDone(t *testing.T) {
	p := play(t, journal.Agent{Version: "0.74.2"})
	p.hear(`{"id":"prompt:first","type":"response","success":true}`)
	require.False(t, p.State.Settled(), "the turn is told of later")
	p.hear(`{"type":"agent_start"}`, `{"type":"agent_end"}`)
	require.False(t, p.State.Settled())
	p.hear(`{"type":"auto_retry_start","errorMessage":"500"}`, `{"id":"settled:1","type":"response","success":true,"data":{"isStreaming":false}}`)
	require.False(t, p.State.Settled(), "it tries again")
	p.hear(`{"type":"agent_start"}`, `{"type":"agent_end"}`, `{"id":"settled:2","type":"response","success":true,"data":{"isStreaming":false}}`)
	require.True(t, p.State.Settled())
}

func TestCompaction(t *testing.T) {
	p := play(t, journal.Agent{})
	p.hear(started, `{"type":"agent_start"}`, `{"type":"compaction_end","aborted":true}`, `{"type":"compaction_end","errorMessage":"no"}`)
	require.Empty(t, p.of(agent.Compacted))
	p.hear(`{"type":"compaction_end","aborted":false,"result":{"summary":"s"}}`)
	require.Len(t, p.of(agent.Compacted), 1)
}

func TestAnUnknownVersion(t *testing.T) {
	p := play(t, journal.Agent{})
	p.hear(started, `{"type":"agent_start"}`, `{"type":"agent_end"}`, `{"type":"compaction_start"}`,
		`{"id":"settled:1","type":"response","success":true,"data":{"isCompacting":true}}`)
	require.False(t, p.State.Settled(), "it compacts")
	p.hear(`{"type":"compaction_end"}`, `{"id":"settled:2","type":"response","success":true,"data":{}}`)
	require.True(t, p.State.Settled())
	p.steer("a")
	p.hear(strings.Replace(started, "prompt:first", "a", 1), `{"type":"agent_end"}`, settled,
		`{"id":"settled:3","type":"response","success":true,"data":{}}`)
	require.Len(t, p.of(agent.TurnEnded), 1, "it says so itself")
}

func TestAnswers(t *testing.T) {
	talk := newTalk(task(journal.Agent{}))
	for _, c := range []struct{ kind, answer, want string }{
		{agent.QuestionPermission, "allow", `"confirmed":true`},
		{agent.QuestionPermission, "deny", `"confirmed":false`},
		{agent.QuestionPermission, "maybe", ""},
		{agent.QuestionChoice, "Red", `"value":"Red"`},
		{agent.QuestionChoice, "Green", ""},
		{agent.QuestionChoice, "deny", `"cancelled":true`},
		{agent.QuestionText, "", `"value":""`},
		{agent.QuestionText, "words", `"value":"words"`},
	} {
		m, err := talk.Answer("k", journal.Question{ID: "q", Kind: c.kind, Options: []string{"Red"}}, c.answer)
		if c.want == "" {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, `{"id":"q","type":"extension_ui_response",`+c.want+`}`, string(m[0].Line))
	}
}

func TestALineOf100MB(t *testing.T) {
	line := []byte(`{"type":"tool_execution_end","toolCallId":"c","toolName":"bash","result":{"content":[{"type":"text","text":"` + talktest.Long() + `"}]},"isError":false}`)
	talk := newTalk(task(journal.Agent{}))
	begin := time.Now()
	h := talk.Hear(line)
	t.Logf("%d MB in %s", len(line)>>20, time.Since(begin))
	require.Len(t, h.Events, 1)
	require.Less(t, len(h.Events[0].Text), 4000)
}
