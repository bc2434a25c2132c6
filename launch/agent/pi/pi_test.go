package pi

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/internal/talktest"
)

var _ = flag.Bool("update", false, "write the golden files")

const run = "01KABCDEFGHJKMNPQRSTVWXYZ0"

func task(a journal.Agent) agent.Task { return agent.Task{Agent: a, RunID: run} }

func TestGolden(t *testing.T) {
	for _, version := range []string{"1.6.0", "0.74.2"} {
		t.Run(version, func(t *testing.T) { talktest.Golden(t, Runtime{}, "testdata/"+version) })
	}
}

func FuzzHear(f *testing.F) {
	talktest.Fuzz(f, Runtime{}, task(journal.Agent{Permission: journal.PermissionAsk, Version: "0.74.2"}), "testdata/*/*.talk")
}

func TestCommand(t *testing.T) {
	own := " --session-id " + run
	for _, c := range []struct {
		name, want, err string
		agent           journal.Agent
		context         string
	}{
		{name: "nothing asked for", want: own},
		{name: "a model of a provider", agent: journal.Agent{Model: "openrouter/anthropic/x"}, want: " --provider openrouter --model anthropic/x" + own},
		{name: "a bare model", agent: journal.Agent{Model: "x"}, want: " --model x" + own},
		{name: "all else", agent: journal.Agent{Thinking: "max", SystemPrompt: "-be brief", Tools: []string{"read", "bash"}, Permission: journal.PermissionAsk},
			want: " --thinking max --system-prompt -be brief --tools read,bash" + own},
		{name: "an older version", agent: journal.Agent{Version: "0.74.2"}},
		{name: "an unknown version", agent: journal.Agent{Version: "?"}},
		{name: "resume by id", context: journal.ContextResume, agent: journal.Agent{SessionID: "s"}, want: " --session s"},
		{name: "resume by file", context: journal.ContextResume, agent: journal.Agent{SessionID: "s", SessionFile: "/f"}, want: " --session /f"},
		{name: "fork", context: journal.ContextFork, agent: journal.Agent{SessionFile: "/f"}, want: " --fork /f" + own},
		{name: "resume nothing", context: journal.ContextResume, err: "needs the id or the file of the session to resume"},
		{name: "an unknown level", agent: journal.Agent{Thinking: "hard"}, err: `no thinking level "hard": it has off, minimal`},
		{name: "a level that came later", agent: journal.Agent{Thinking: "max", Version: "0.74.2"}, err: `no thinking level "max"`},
		{name: "a mode", agent: journal.Agent{Permission: "acceptEdits"}, err: `no permission mode "acceptEdits"`},
		{name: "a huge system prompt", agent: journal.Agent{SystemPrompt: strings.Repeat("x", 200<<10)}, err: "too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := task(c.agent)
			asked.Context = c.context
			switch asked.Version {
			case "":
				asked.Version = "1.6.0"
			case "?":
				asked.Version = ""
			}
			got, err := Runtime{}.Command(asked)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "--mode rpc"+c.want, strings.Join(got.Args, " "))
			require.Empty(t, got.Env)
		})
	}
}
