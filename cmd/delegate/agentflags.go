package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/agents"
	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/options"
	"github.com/agent-runs/agent-runs/journal"
)

func agentFlags() []options.Option {
	return []options.Option{
		options.Text("runtime", "the agent: `NAME` is pi, claude, codex, gemini, opencode, or acp:CMD for any that speaks ACP"),
		options.Text("model", "`PROVIDER/ID` or the agent's own name of a model; never substituted"),
		options.Text("thinking", "how hard it thinks: a `LEVEL` of the agent's"),
		options.Text("system-prompt", "what it is told before the prompt, a `TEXT`"),
		options.Text("tools", "the only tools it has: `A,B,C`"),
		options.Text("permission", "ask, deny, allow, or a `MODE` of the agent's (default: deny)"),
		options.Text("context", "fresh, or `fork:SESSION`: a new session with the history of one of the agent's, or of a run's (default: fresh)"),
		options.Text("prompt", "the prompt, a `TEXT` that may begin with a dash"),
		options.Text("max-turns", "stop it after `N` calls of its model"+otherwise("turns")),
		options.Text("max-tokens", "stop it when it used more than `N` tokens"),
		options.Text("max-cost", "stop it when it cost more than `USD`"),
		options.Text("startup-timeout", "give up if it takes no prompt after `D`"+otherwise("startup")),
		options.Text("idle-timeout", "stop it after `D` without a sign of life"+otherwise("idle")),
	}
}

// parse reads the options that only agents have.
func (a *agentAsk) parse(c asked, l *journal.Limits) error {
	a.field, a.runtime, a.Model, a.Thinking, a.SystemPrompt, a.Permission = c.Field("runtime"), c.String("runtime"), c.String("model"), c.String("thinking"), c.String("system-prompt"), journal.PermissionDeny
	var wrong []error
	for _, name := range []string{"runtime", "model", "thinking", "permission", "context"} {
		if c.IsSet(name) {
			wrong = append(wrong, cli.CheckLabel(c.Field(name), c.String(name)))
		}
	}
	if c.IsSet("runtime") && errors.Join(wrong...) == nil {
		_, err := agents.Named(c.Field("runtime"), a.runtime)
		wrong = append(wrong, err)
	}
	if c.IsSet("permission") {
		a.Permission = c.String("permission")
	}
	if c.IsSet("system-prompt") {
		wrong = append(wrong, cli.CheckText(c.Field("system-prompt"), a.SystemPrompt))
	}
	var badContext, badTools error
	a.fork, badContext = forked(c)
	a.Tools, badTools = toolList(c)
	return errors.Join(append(wrong, badContext, badTools, limitAgent(c, l))...)
}

// forked returns the session to fork, or "".
func forked(c asked) (string, error) {
	context := c.String("context")
	if context == "" || context == journal.ContextFresh {
		return "", nil
	}
	if session, ok := strings.CutPrefix(context, "fork:"); ok && session != "" {
		return session, nil
	}
	return "", cli.Fail(cli.Usage, "%s %q is none; fresh and fork:SESSION are", c.Field("context"), context).WithTry("agent-runs continue ID PROMPT to go on with a run's session")
}

func toolList(c asked) ([]string, error) {
	if !c.IsSet("tools") {
		return nil, nil
	}
	tools := strings.Split(c.String("tools"), ",")
	for i := range tools {
		tools[i] = strings.TrimSpace(tools[i])
		if err := cli.CheckLabel("a name in "+c.Field("tools"), tools[i]); err != nil {
			return nil, err
		}
		if slices.Contains(tools[:i], tools[i]) {
			return nil, cli.Fail(cli.Usage, "%s names %q twice", c.Field("tools"), tools[i])
		}
	}
	return tools, nil
}
