// Package runtimes is the table of the agents that can be run.
package runtimes

import (
	"strings"

	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/acp"
	"github.com/agent-runs/agent-runs/launch/agent/claude"
	"github.com/agent-runs/agent-runs/launch/agent/codex"
	"github.com/agent-runs/agent-runs/launch/agent/pi"
)

// table has a row for every runtime with a name of its own.
func table() []agent.Runtime {
	return []agent.Runtime{pi.Runtime{}, claude.Runtime{}, codex.Runtime{}, acp.Gemini(), acp.OpenCode()}
}

// All lists the runtimes.
func All() []agent.Runtime { return table() }

// Of returns the runtime with a name; "acp:CMD" is any agent that speaks the
// Agent Client Protocol. Nil: there is none.
func Of(name string) agent.Runtime {
	if cmd, ok := strings.CutPrefix(name, "acp:"); ok && cmd != "" {
		return acp.Of(cmd)
	}
	for _, r := range table() {
		if r.Name() == name {
			return r
		}
	}
	return nil
}
