package runs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/internal/realagents"
	"github.com/stretchr/testify/require"
)

const intro = `# What works with which agent

The test in internal/realagents/runs writes this file: it drives each agent, in the version named here, through
` + "`delegate` and `agent-runs`" + ` with a scripted model behind it, and a cell says yes only if what was tried worked.

`

const costs = `
“errors are failures”: an agent that is killed, HTTP 401, HTTP 500, a broken stream and a silent one never end as
completed. “survives us”: the supervisor and the shim were killed in mid-turn, and the run completed with nothing said
twice.

To write it anew: ` + "`bash .ci/agents && AGENT_RUNS_REAL_AGENTS=1 go test ./internal/realagents/runs -update`" + `.

## What a run costs before the agent starts

Ours is the time from the call of ` + "`delegate`" + ` to the agent's process, in a new home and where a supervisor is at work;
the agent's own start is from there to where it takes a prompt. Medians on the machine that wrote this file. The test
fails where ours, with a supervisor, is both over 5 % and over 25 ms.

`

// document compares the table with what was seen, or writes it. The rows of agents that are not installed stay.
func document(t *testing.T, rows []*row) {
	root, err := realagents.Root()
	require.NoError(t, err)
	path := filepath.Join(root, "docs", "agents.md")
	old, err := os.ReadFile(path)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	works, starts, _ := strings.Cut(string(old), "## ")
	for _, r := range rows {
		if r.partial {
			t.Skipf("NOT COMPARED: not everything was tried with %s", r.agent.name)
		}
	}
	if !*update {
		for _, r := range rows {
			require.Equal(t, r.works(), lineOf(works, r.agent.name), "docs/agents.md is not what was seen: see it for how to write it anew")
		}
		return
	}
	text := intro + head(append([]string{"runtime", "version"}, columns()...))
	text += lines(rows, works, (*row).works) + costs
	text += head([]string{"runtime", "its own start", "ours, no supervisor yet", "ours, with one"}) + lines(rows, starts, (*row).starts)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

// lines has one line for each agent: the new one, else the old one.
func lines(rows []*row, old string, line func(*row) string) (text string) {
	for _, name := range realagents.All() {
		i := slices.IndexFunc(rows, func(r *row) bool { return r.agent.name == name })
		if i >= 0 {
			text += line(rows[i]) + "\n"
		} else if l := lineOf(old, name); l != "" {
			text += l + "\n"
		}
	}
	return text
}

func lineOf(text, name string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| "+name+" |") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func columns() (names []string) {
	for _, a := range abilities() {
		if !slices.Contains(names, a.column) {
			names = append(names, a.column)
		}
	}
	return names
}

func head(names []string) string {
	return cells(names) + "\n" + strings.Repeat("| --- ", len(names)) + "|\n"
}

func cells(words []string) string { return "| " + strings.Join(words, " | ") + " |" }

func (r *row) works() string {
	words := []string{r.agent.name, r.agent.version}
	for _, c := range columns() {
		if why := r.seen[c]; why != "" {
			words = append(words, "no: "+why)
		} else {
			words = append(words, "yes")
		}
	}
	return cells(words)
}

func (r *row) starts() string {
	o := r.overhead
	ours := func(d time.Duration) string { return fmt.Sprintf("%s, %.1f %%", milliseconds(d), share(d, o.its)) }
	return cells([]string{r.agent.name, milliseconds(o.its), ours(o.cold), ours(o.warm)})
}
