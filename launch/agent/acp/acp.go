// Package acp speaks the Agent Client Protocol, version 1, over stdio:
// JSON-RPC 2.0, one message a line. It knows Gemini CLI (measured: 0.61.0) and
// OpenCode (1.18.33) by name and any other agent by its command line.
//
// github.com/coder/acp-go-sdk (v0.13.0) was tried and is not used. Decoding one
// notification with its types adds 330 kB and log/slog to an executable of
// which every shim is a process. An update of a kind it does not know is taken
// for one of the same shape, and one field of another type makes an error of
// the whole line, where a newer agent must be understood as far as it goes.
// What a run reads of the protocol is the few structs in wire.go.
//
// What the protocol does not say is taken as follows.
//
//   - The text after the last tool call is the final text; where chunks bear a
//     messageId (OpenCode), that of the last message.
//   - There is no word for one call of the model. What comes after the prompt
//     or after the end of a tool, up to the next end of a tool, is counted as
//     one. Where tools of one answer end before the others begin, that is too
//     many.
//   - A prompt is taken when the first news of its turn comes, and ends with
//     its own answer. What comes while no prompt waits, as the history that
//     session/load tells again, is nobody's turn. Gemini tells it after the
//     answer too, so one more request is made before the prompt.
//   - Tokens are told with the answer: as usage (OpenCode, which tells of its
//     last call only, and the same once more for a prompt that joined) or as
//     _meta.quota (Gemini). Cost is told by usage_update as the session's sum.
//     In a session that was not begun here the first of them is the past and
//     ours in one, so it only serves to count from.
//   - A second session/prompt joins the running turn (OpenCode), waits for its
//     end or cancels it (Gemini), and nothing announces which. Guidance goes by
//     _session/steering where that is announced, as a second prompt where we
//     know that it joins, and else waits for the turn's end (agent.Later).
//   - A turn that ends well without a single piece of an answer has failed:
//     OpenCode says end_turn when the model's stream has broken off twice.
//   - We announce no capability, and refuse fs/* and terminal/*.
package acp

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// Runtime is one agent that speaks the protocol.
type Runtime struct {
	name    string
	program string
	args    []string
	env     []string
	ask     []string // variables that make it ask, where it would not
	provide string   // the only provider of its models; empty: it has many
	model   string   // the flag that chooses a model; empty: the protocol does
	joins   bool     // a second prompt joins the running turn
	lone    bool     // its sessions must not be opened by another process
	parting agent.Parting
	can     agent.Abilities
	wrong   error // the command line cannot be understood
}

// Gemini is the Gemini CLI. It would start itself once more, and the parent
// swallows signals, but for GEMINI_CLI_NO_RELAUNCH; and in a folder that is not
// trusted it leaves at once. It stays when its input ends.
//
// Its sessions cannot go on in another process. session/load begins an empty
// file beside the session's, named after the minute and the session, so in the
// minute in which the session was begun it takes its place; and otherwise the
// next start finds the empty one and deletes both.
func Gemini() Runtime {
	return Runtime{
		name: "gemini", program: "gemini", args: []string{"--acp"},
		env:     []string{"GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		provide: "google", model: "-m", lone: true,
		parting: agent.Parting{Signal: syscall.SIGTERM, Stop: syscall.SIGTERM},
		can: agent.Abilities{
			Steer:    "a second prompt cancels the running turn, so guidance is said as the next prompt",
			Continue: "a session that another process has loaded is deleted at the next start of the agent",
			Fork:     "the agent has no session/fork",
			Cost:     "the agent tells tokens only",
		},
	}
}

// OpenCode is OpenCode. It must not replace itself while it works. It asks for
// nothing unless it is told to.
func OpenCode() Runtime {
	return Runtime{
		name: "opencode", program: "opencode", args: []string{"acp"},
		env:     []string{"OPENCODE_DISABLE_AUTOUPDATE=1"},
		ask:     []string{`OPENCODE_PERMISSION={"bash":"ask","edit":"ask"}`},
		joins:   true,
		parting: agent.Parting{EOF: true, Stop: syscall.SIGTERM},
		can:     agent.Abilities{Usage: "of a turn's tokens the agent tells those of the last call only; its cost is whole"},
	}
}

// Of is any agent, started by the given command line. It is split at white
// space; quotes and the like are refused rather than guessed at: what needs
// them is better written into a script.
func Of(command string) Runtime {
	r := Runtime{
		name:    "acp:" + command,
		parting: agent.Parting{EOF: true, Signal: syscall.SIGTERM, Stop: syscall.SIGTERM},
		can: agent.Abilities{
			Steer:    "where the agent announces _session/steering; else guidance is said as the next prompt",
			Continue: "where the agent announces session/resume or session/load",
			Fork:     "where the agent announces session/fork",
			Usage:    "where the agent tells it",
			Cost:     "where the agent tells it",
		},
	}
	words := strings.Fields(command)
	switch {
	case len(words) == 0:
		r.wrong = errors.New("acp: expected a command line")
	case strings.ContainsAny(command, "'\"\\$`|&;<>*?"):
		r.wrong = fmt.Errorf("acp:%s: the command line is split at white space, and nothing else in it has a meaning: write a script for what needs a shell", command)
	default:
		r.program, r.args = words[0], words[1:]
	}
	return r
}

// Name is what --runtime calls it.
func (r Runtime) Name() string { return r.name }

// Programs are its names in PATH.
func (r Runtime) Programs() []string {
	if r.program == "" {
		return nil
	}
	return []string{r.program}
}

// Parting says how it leaves.
func (r Runtime) Parting() agent.Parting { return r.parting }

// Abilities says what can be had.
func (r Runtime) Abilities() agent.Abilities { return r.can }

// Command starts the agent. What else a task asks for is said in the talk.
func (r Runtime) Command(t agent.Task) (agent.Invocation, error) {
	var none agent.Invocation
	switch {
	case r.wrong != nil:
		return none, r.wrong
	case t.SystemPrompt != "":
		return none, fmt.Errorf("%s: the Agent Client Protocol has no system prompt", r.name)
	case len(t.Tools) > 0:
		return none, fmt.Errorf("%s: the Agent Client Protocol has no list of tools", r.name)
	case t.Context == journal.ContextFork && r.lone:
		return none, errors.New(r.can.Fork)
	case t.Context == journal.ContextResume && r.lone:
		return none, errors.New(r.can.Continue)
	}
	id, err := r.modelID(t.Model)
	if err != nil {
		return none, err
	}
	i := agent.Invocation{Args: append([]string(nil), r.args...), Env: append([]string(nil), r.env...)}
	if r.model != "" && id != "" {
		i.Args = append(i.Args, r.model, id)
	}
	if t.Permission == journal.PermissionAsk {
		i.Env = append(i.Env, r.ask...)
	}
	return i, nil
}

// modelID is what the agent itself calls a model.
func (r Runtime) modelID(name string) (string, error) {
	if r.provide == "" {
		return name, nil
	}
	provider, id, ok := strings.Cut(name, "/")
	if !ok {
		return name, nil
	}
	if provider != r.provide || id == "" {
		return "", fmt.Errorf("model %s: %s has those of %s only", name, r.name, r.provide)
	}
	return id, nil
}

// Talk begins the conversation of one process.
func (r Runtime) Talk(t agent.Task) agent.Talk {
	model, err := r.modelID(t.Model)
	if err != nil {
		model = t.Model // Command has refused it
	}
	return &talk{
		runtime: r, task: t, model: model,
		said:  map[string]agent.Kind{},
		asked: map[string]request{},
		tools: map[string]stage{},
	}
}
