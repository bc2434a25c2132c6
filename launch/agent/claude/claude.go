package claude

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// Runtime is Claude Code.
type Runtime struct{}

// Name is what --runtime calls it.
func (Runtime) Name() string { return "claude" }

// Programs are the names to look for in PATH.
func (Runtime) Programs() []string { return []string{"claude"} }

// Parting: at the end of stdin it finishes what it does, its background tasks
// included, and leaves. INT ends it with its command in every version that was
// measured; TERM leaves the command behind in the older one.
func (Runtime) Parting() agent.Parting { return agent.Parting{EOF: true, Stop: syscall.SIGINT} }

// Abilities: all can be had.
func (Runtime) Abilities() agent.Abilities { return agent.Abilities{} }

// Talk begins the conversation of one process.
func (Runtime) Talk(t agent.Task) agent.Talk { return newTalk(t) }

// maxArgument is what one argument may hold on Linux, and some room.
const maxArgument = 120 << 10

// efforts are the words of --effort. One that it does not know is ignored by
// claude with a warning, and so must not reach it.
var efforts = [...]string{"low", "medium", "high", "xhigh", "max"}

// Command says how claude is started for a task. The prompt is never among
// the arguments; it goes in by stdin.
func (Runtime) Command(t agent.Task) (agent.Invocation, error) {
	args := []string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--replay-user-messages", "--include-partial-messages", "--permission-prompt-tool", "stdio",
	}
	switch t.Permission {
	case "", journal.PermissionDeny, journal.PermissionAsk, journal.PermissionAllow:
	default:
		args = append(args, "--permission-mode="+t.Permission)
	}
	if t.Model != "" {
		args = append(args, "--model="+strings.TrimPrefix(t.Model, "anthropic/"))
	}
	if t.Thinking != "" {
		if !slices.Contains(efforts[:], t.Thinking) {
			return agent.Invocation{}, fmt.Errorf("claude has no thinking level %q: it has %s", t.Thinking, strings.Join(efforts[:], ", "))
		}
		args = append(args, "--effort="+t.Thinking)
	}
	if len(t.SystemPrompt) > maxArgument {
		return agent.Invocation{}, fmt.Errorf("the system prompt is too long for an argument: %d bytes of at most %d", len(t.SystemPrompt), maxArgument)
	}
	if t.SystemPrompt != "" {
		args = append(args, "--system-prompt="+t.SystemPrompt)
	}
	if len(t.Tools) > 0 {
		args = append(args, "--tools="+strings.Join(t.Tools, ","))
	}
	if t.Context != "" && t.Context != journal.ContextFresh {
		if t.SessionID == "" {
			return agent.Invocation{}, fmt.Errorf("claude needs the id of the session to %s", t.Context)
		}
		args = append(args, "--resume="+t.SessionID)
	}
	switch t.Context {
	case journal.ContextResume:
	case journal.ContextFork:
		args = append(args, "--fork-session", "--session-id="+sessionID(t.RunID))
	default:
		args = append(args, "--session-id="+sessionID(t.RunID))
	}
	return agent.Invocation{Args: args, Env: []string{"DISABLE_AUTOUPDATER=1"}}, nil
}

// session is the id that the conversation will have.
func session(t agent.Task) string {
	if t.Context == journal.ContextResume {
		return t.SessionID
	}
	return sessionID(t.RunID)
}
