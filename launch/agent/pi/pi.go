package pi

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// Runtime is pi.
type Runtime struct{}

// Name is what --runtime calls it.
func (Runtime) Name() string { return "pi" }

// Programs are the names to look for in PATH.
func (Runtime) Programs() []string { return []string{"pi"} }

// Parting: the end of stdin lets it go at once, TERM ends it with its command.
func (Runtime) Parting() agent.Parting { return agent.Parting{EOF: true, Stop: syscall.SIGTERM} }

// Abilities says what cannot be had from pi.
func (Runtime) Abilities() agent.Abilities {
	return agent.Abilities{Questions: "pi has no permissions, its tools just run; only its extensions ask"}
}

// Talk begins the conversation of one process.
func (Runtime) Talk(t agent.Task) agent.Talk { return newTalk(t) }

// maxArgument is what one argument may hold on Linux, and some room.
const maxArgument = 120 << 10

// Command says how pi is started for a task. The prompt is never among the
// arguments; it goes in by stdin.
func (Runtime) Command(t agent.Task) (agent.Invocation, error) {
	switch t.Permission {
	case "", journal.PermissionDeny, journal.PermissionAsk, journal.PermissionAllow:
	default:
		return agent.Invocation{}, fmt.Errorf("pi has no permission mode %q: its tools just run", t.Permission)
	}
	args := []string{"--mode", "rpc"}
	if provider, id, ok := strings.Cut(t.Model, "/"); ok {
		args = append(args, "--provider", provider, "--model", id)
	} else if t.Model != "" {
		args = append(args, "--model", t.Model)
	}
	if t.Thinking != "" {
		if levels := levels(t); !slices.Contains(levels, t.Thinking) {
			return agent.Invocation{}, fmt.Errorf("pi has no thinking level %q: it has %s", t.Thinking, strings.Join(levels, ", "))
		}
		args = append(args, "--thinking", t.Thinking)
	}
	if len(t.SystemPrompt) > maxArgument {
		return agent.Invocation{}, fmt.Errorf("the system prompt is too long for an argument: %d bytes of at most %d", len(t.SystemPrompt), maxArgument)
	}
	if t.SystemPrompt != "" {
		args = append(args, "--system-prompt", t.SystemPrompt)
	}
	if len(t.Tools) > 0 {
		args = append(args, "--tools", strings.Join(t.Tools, ","))
	}
	session, err := session(t)
	return agent.Invocation{Args: append(args, session...)}, err
}

// session says which one. The file is better than the id: an id is looked up
// among the sessions of the directory, and in another one pi would ask on
// stdin, where our first message is its answer.
func session(t agent.Task) ([]string, error) {
	from := t.SessionFile
	if from == "" {
		from = t.SessionID
	}
	var args []string
	switch t.Context {
	case journal.ContextResume, journal.ContextFork:
		if from == "" {
			return nil, fmt.Errorf("pi needs the id or the file of the session to %s", t.Context)
		}
		if t.Context == journal.ContextResume {
			return []string{"--session", from}, nil
		}
		args = []string{"--fork", from}
	}
	if t.Version != "" && !old(t.Version) { // the older refuse to start with it
		args = append(args, "--session-id", t.RunID)
	}
	return args, nil
}

func levels(t agent.Task) []string {
	all := []string{"off", "minimal", "low", "medium", "high", "xhigh"}
	if !old(t.Version) {
		all = append(all, "max")
	}
	return all
}

// old reports whether this is a version before 1.0. What is not known is
// taken as new.
func old(version string) bool {
	return strings.HasPrefix(strings.TrimLeft(version, "piv "), "0.")
}
