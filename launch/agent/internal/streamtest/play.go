// Package streamtest plays recorded streams of JSON-RPC agents to their talk.
package streamtest

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// Order is what somebody asks for while the agent works: once, at the first
// event of a type after the order before it.
type Order struct {
	At   agent.Type
	Give func(agent.Talk, *agent.State) ([]agent.Message, error)
}

// Played is what became of a stream.
type Played struct {
	Fold   *agent.Fold
	Events []agent.Event
	Said   []agent.Message
	lines  [][]byte
	list   []journal.Said
}

// Play tells the lines of a recording to a talk and says what it wants said.
// The recorder numbered its requests; ours have keys, so the n-th request that
// the talk makes takes the place of the n-th recorded.
func Play(t *testing.T, r agent.Runtime, task agent.Task, file string, orders ...Order) *Played {
	t.Helper()
	stream, err := os.ReadFile(file)
	require.NoError(t, err)
	p := &Played{}
	var happened []agent.Type
	p.Fold = agent.NewFold(r, task, func(e agent.Event) {
		p.Events = append(p.Events, e)
		happened = append(happened, e.Type)
	})
	keys := map[string]string{}
	say := func(all []agent.Message) {
		for _, m := range all {
			var q struct{ ID, Method string }
			if json.Unmarshal(m.Line, &q) == nil && q.ID != "" && q.Method != "" {
				keys[number(len(keys)+1)] = q.ID
			}
			p.Said = append(p.Said, m)
			s := journal.Said{Key: m.Key, Kind: string(m.Kind), At: p.Fold.Heard, Question: m.Question, Answer: m.Answer}
			p.list = append(p.list, s)
			p.Fold.Said(s)
		}
	}
	say(p.Fold.Due())
	for _, line := range bytes.Split(bytes.TrimSpace(stream), []byte("\n")) {
		line = rename(line, keys)
		p.lines = append(p.lines, line)
		happened = nil
		_, err := p.Fold.Write(append(bytes.Clone(line), '\n'))
		require.NoError(t, err)
		say(p.Fold.Due())
		for _, h := range happened {
			if len(orders) > 0 && orders[0].At == h {
				m, err := orders[0].Give(p.Fold.Talk, &p.Fold.State)
				require.NoError(t, err)
				orders = orders[1:]
				say(m)
			}
		}
	}
	require.Empty(t, orders, "orders that were never given")
	p.again(t, r, task)
	return p
}

// again folds the same stream as a supervisor does that was killed: in pieces,
// with the list of what was said. It must stand at the same place.
func (p *Played) again(t *testing.T, r agent.Runtime, task agent.Task) {
	t.Helper()
	var events []agent.Event
	f := agent.NewFold(r, task, func(e agent.Event) { events = append(events, e) })
	f.Recall(p.list)
	all := append(bytes.Join(p.lines, []byte("\n")), '\n')
	for len(all) > 0 {
		n := min(len(all), 1000)
		_, err := f.Write(all[:n])
		require.NoError(t, err)
		all = all[n:]
	}
	f.Recalled()
	require.Equal(t, p.Events, events)
	require.Equal(t, p.Fold.State.View, f.State.View)
	require.Equal(t, p.Fold.State.FinalText(), f.State.FinalText())
	require.Equal(t, p.Fold.State.Waiting(), f.State.Waiting())
	require.Empty(t, f.Due(), "what was said is not said again")
}

// rename gives the answers the keys that our requests have. The recorder wrote
// the id in front of all else that matters.
func rename(line []byte, keys map[string]string) []byte {
	var l struct {
		ID     json.RawMessage
		Method string
	}
	if json.Unmarshal(line, &l) != nil || l.Method != "" || keys[string(l.ID)] == "" {
		return line
	}
	return bytes.Replace(line, []byte(`"id":`+string(l.ID)), []byte(`"id":"`+keys[string(l.ID)]+`"`), 1)
}

func number(n int) string {
	b, _ := json.Marshal(n) // of a number
	return string(b)
}

// Story tells the events in a few words a line, the pieces of a text as one
// and of a whole text the first word.
func (p *Played) Story() string {
	var b strings.Builder
	for i, e := range p.Events {
		if e.Type == agent.TextDelta && i > 0 && p.Events[i-1].Type == agent.TextDelta {
			continue
		}
		b.WriteString(string(e.Type))
		text := e.Text
		if e.Type == agent.Text || e.Type == agent.TurnEnded {
			text, _, _ = strings.Cut(text, " ") // the rest tells of the model server
		}
		for _, word := range []string{e.Key, e.Tool, string(e.Outcome), text, e.Error} {
			if word != "" && e.Type != agent.TextDelta {
				b.WriteString(" " + strings.ReplaceAll(word, "\n", "⏎"))
			}
		}
		if e.Question != nil {
			b.WriteString(" " + e.Question.ID + " " + e.Question.Tool + ": " + e.Question.Text)
		}
		if e.Usage != nil {
			u, _ := json.Marshal(e.Usage) // of numbers
			b.Write(append([]byte(" "), u...))
		}
		if e.Failed || e.Stale {
			b.WriteString(" !")
		}
		b.WriteString("\n")
	}
	return volatile().ReplaceAllString(b.String(), "$1…")
}

// volatile is what the next recording will have differently.
func volatile() *regexp.Regexp {
	return regexp.MustCompile(`(127\.0\.0\.1:)[0-9]+`)
}

// Golden compares with a file, or writes it where AGENT_RUNS_UPDATE is set.
func Golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("AGENT_RUNS_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// Long is how long a line of 100 MB may take.
const Long = 2 * time.Second

// LongText is what such a line is full of.
func LongText() string { return strings.Repeat("0123456789abcdé\\n", 100<<20/18) }
