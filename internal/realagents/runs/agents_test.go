package runs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/internal/realagents"
	"github.com/agent-runs/agent-runs/launch/agent/runtimes"
	"github.com/stretchr/testify/require"
)

// abreast is how many agents are driven at once: each of them needs a processor now and then.
const abreast = 2

// endless are the agents that try again for longer than a test lasts, whatever their settings say.
func endless(name string) bool { return name == realagents.Gemini || name == realagents.OpenCode }

// TestRealAgents tries every ability with every agent that is installed and holds docs/agents.md against what it saw.
func TestRealAgents(t *testing.T) {
	if os.Getenv(asked) != "1" {
		t.Skip("NOT TESTED: real agents; bash .ci/agents && " + asked + "=1 go test ./internal/realagents/...")
	}
	var rows []*row
	var skipped []string
	for _, name := range realagents.All() {
		if _, err := realagents.Program(name); err != nil {
			t.Logf("!! SKIPPED %v", err)
			skipped = append(skipped, name)
			continue
		}
		rows = append(rows, &row{agent: install(t, name), seen: map[string]string{}})
	}
	for _, r := range rows { // one after the other: they are timed
		t.Run("overhead of "+r.agent.name, func(t *testing.T) { r.overhead = measure(t, r.agent) })
	}
	t.Run("with", func(t *testing.T) {
		turn := make(chan struct{}, abreast)
		for _, r := range rows {
			t.Run(r.agent.name, func(t *testing.T) {
				t.Parallel()
				turn <- struct{}{}
				defer func() { <-turn }()
				r.try(t)
			})
		}
	})
	var names []string
	for _, r := range rows {
		names = append(names, r.agent.name+" "+r.agent.version)
	}
	t.Run("table", func(t *testing.T) { document(t, rows) })
	t.Logf("REAL AGENTS: %s", tally(names, skipped))
}

func tally(ran, skipped []string) string {
	s := fmt.Sprintf("%d ran (%s)", len(ran), strings.Join(ran, ", "))
	if len(skipped) == 0 {
		return s + ", none was skipped"
	}
	return fmt.Sprintf("%s, %d SKIPPED because not installed (%s)", s, len(skipped), strings.Join(skipped, ", "))
}

// row is one agent and what was seen of it.
type row struct {
	agent    *installed
	seen     map[string]string // by column; "" is yes
	overhead overhead
	partial  bool // not everything was tried
}

// try goes through the abilities. A column is a yes only if all its tests ran and passed.
func (r *row) try(t *testing.T) {
	runtime := runtimes.Of(r.agent.name)
	require.NotNil(t, runtime)
	for _, a := range abilities() {
		if a.lacking != nil {
			if why := a.lacking(runtime.Abilities()); why != "" {
				r.seen[a.column] = why
				continue
			}
		}
		tried, passed := false, false
		t.Run(a.name, func(t *testing.T) {
			tried = true
			a.test(r.agent.scene(t))
			passed = !t.Failed()
		})
		if _, before := r.seen[a.column]; !before {
			r.seen[a.column] = ""
		}
		if !passed {
			r.seen[a.column] = "the test of “" + a.name + "” failed"
		}
		r.partial = r.partial || !tried
	}
}
