// Package codex speaks with Codex by `codex app-server`: JSON-RPC over stdio,
// one message a line, without the jsonrpc member. Measured with 0.171.0, whose
// schema `codex app-server generate-json-schema` prints.
//
//   - Request ids may be strings, so our keys are the ids. The server counts
//     its own from 0.
//   - initialize needs capabilities.experimentalApi, without which
//     thread/backgroundTerminals/clean is refused.
//   - A turn is begun by turn/start, which answers at once. turn/steer wants
//     the id of the running turn and is refused when another runs or none.
//   - turn/interrupt ends the turn and leaves the shell command running;
//     thread/backgroundTerminals/clean ends that.
//   - thread/tokenUsage/updated tells the totals of a thread, the past of a
//     resumed one included, once for each answer of the model. So it counts
//     the steps too: an agentMessage would not do, for an answer that only
//     calls a tool has none, and one answer may have two.
//   - An approval is a request of the server's. untrusted asks before every
//     command that is not known to only read; on-request did not ask for a
//     write inside cwd.
//   - SIGTERM and end of input both end it cleanly, running command included.
//   - It has no list of tools to allow and tells no cost.
package codex

import (
	"errors"
	"strings"
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// Runtime is codex.
type Runtime struct{}

// Name is what --runtime calls it.
func (Runtime) Name() string { return "codex" }

// Programs are its names in PATH.
func (Runtime) Programs() []string { return []string{"codex"} }

// Command starts the server. All that a task asks for is said in the talk.
func (Runtime) Command(t agent.Task) (agent.Invocation, error) {
	if len(t.Tools) > 0 {
		return agent.Invocation{}, errors.New("codex cannot be held to a list of tools")
	}
	if strings.HasPrefix(t.Model, "/") || strings.HasSuffix(t.Model, "/") {
		return agent.Invocation{}, errors.New("model " + t.Model + ": expected ID or PROVIDER/ID")
	}
	return agent.Invocation{Args: []string{"app-server"}}, nil
}

// Talk begins the conversation of one process.
func (Runtime) Talk(t agent.Task) agent.Talk {
	return &talk{
		task:   t,
		said:   map[string]agent.Kind{},
		totals: map[string]tokens{},
		asked:  map[string]question{},
		tools:  map[string]bool{},
	}
}

// Parting: it leaves when its input ends.
func (Runtime) Parting() agent.Parting { return agent.Parting{EOF: true, Stop: syscall.SIGTERM} }

// Abilities says what can be had.
func (Runtime) Abilities() agent.Abilities {
	return agent.Abilities{Cost: "the agent tells tokens only"}
}

// policy is what a permission is to the server: when it asks, and what the
// sandbox lets a command do.
func policy(permission string) (approval, sandbox string) {
	switch permission {
	case journal.PermissionAllow:
		return "never", "danger-full-access"
	case journal.PermissionAsk:
		return "untrusted", "workspace-write"
	case journal.PermissionDeny, "":
		return "never", "workspace-write"
	default:
		return "never", permission
	}
}

// model splits PROVIDER/ID. A name without a slash is one of the provider
// that the configuration names.
func model(name string) (provider, id string) {
	if provider, id, ok := strings.Cut(name, "/"); ok {
		return provider, id
	}
	return "", name
}
