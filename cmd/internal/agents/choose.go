package agents

import (
	"fmt"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/runtimes"
	"github.com/agent-runs/agent-runs/settings"
)

// marks are the variables that each agent sets for the commands it runs.
var marks = []struct{ variable, runtime string }{
	{"PI_SESSION_ID", "pi"}, {"PI_CODING_AGENT", "pi"}, {"CLAUDECODE", "claude"}, {"CODEX_THREAD_ID", "codex"}, {"GEMINI_CLI", "gemini"}, {"OPENCODE", "opencode"},
}

// Names lists what --runtime accepts.
func Names() []string {
	var names []string
	for _, r := range runtimes.All() {
		names = append(names, r.Name())
	}
	return append(names, "acp:CMD")
}

// Named returns the runtime that somebody named in field.
func Named(field, name string) (agent.Runtime, error) {
	if r := runtimes.Of(name); r != nil {
		return r, nil
	}
	return nil, cli.Fail(cli.Usage, "%s %q is none; %s are", field, name, strings.Join(Names(), ", "))
}

// Choose returns the runtime that is meant where nobody named one: the kind of
// agent that calls us, else the variable's, else the one that is set, else the
// only one in the directories of path.
func Choose(getenv func(string) string, set settings.Setting, path string) (agent.Runtime, error) {
	for _, m := range marks {
		if getenv(m.variable) != "" {
			return Named(m.variable, m.runtime)
		}
	}
	if name := getenv("AGENT_RUNS_RUNTIME"); name != "" {
		return Named("AGENT_RUNS_RUNTIME", name)
	}
	if !set.None() {
		return Named(fmt.Sprintf("%s in %s", set.Name, set.Origin), set.Text)
	}
	switch installed := Installed(path); len(installed) {
	case 0:
		return nil, cli.Fail(cli.Usage, "no agent is installed; looked in PATH for %s", strings.Join(Names()[:len(Names())-1], ", ")).
			WithTry("agent-runs runtimes, or delegate -- COMMAND [ARG...] for a plain command")
	case 1:
		return Named("runtime", installed[0])
	default:
		return nil, cli.Fail(cli.Usage, "which agent? Installed are %s", strings.Join(installed, ", ")).
			WithTry("--runtime %s, or agent-runs settings set runtime %s", installed[0], installed[0])
	}
}

// Protocol names how a runtime is spoken with.
func Protocol(runtime string) string {
	switch runtime {
	case "pi":
		return "rpc"
	case "claude":
		return "stream-json"
	case "codex":
		return "app-server"
	default:
		return "acp"
	}
}
