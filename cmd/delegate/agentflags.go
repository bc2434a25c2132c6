package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/agents"
	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

// What an agent gets when nobody says otherwise.
const (
	defaultTurns    = 30
	reservedTurns   = 2
	defaultDuration = 30 * time.Minute
	defaultStartup  = time.Minute
	defaultIdle     = 10 * time.Minute
)

func agentFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "runtime", Usage: "the agent: `NAME` is pi, claude, codex, gemini, opencode, or acp:CMD for any that speaks ACP"},
		&urfave.StringFlag{Name: "model", Usage: "`PROVIDER/ID` or the agent's own name of a model; never substituted"},
		&urfave.StringFlag{Name: "thinking", Usage: "how hard it thinks: a `LEVEL` of the agent's"},
		&urfave.StringFlag{Name: "system-prompt", Usage: "what it is told before the prompt, a `TEXT`"},
		&urfave.StringFlag{Name: "tools", Usage: "the only tools it has: `A,B,C`"},
		&urfave.StringFlag{Name: "permission", Usage: "ask, deny, allow, or a `MODE` of the agent's (default: deny)"},
		&urfave.StringFlag{Name: "context", Usage: "fresh, or `fork:SESSION`: a new session with the history of one of the agent's, or of a run's (default: fresh)"},
		&urfave.StringFlag{Name: "prompt", Usage: "the prompt, a `TEXT` that may begin with a dash"},
		&urfave.StringFlag{Name: "max-turns", Usage: "stop it after `N` calls of its model (default: 30)"},
		&urfave.StringFlag{Name: "max-tokens", Usage: "stop it when it used more than `N` tokens"},
		&urfave.StringFlag{Name: "max-cost", Usage: "stop it when it cost more than `USD`"},
		&urfave.StringFlag{Name: "startup-timeout", Usage: "give up if it takes no prompt after `D` (default: 1m)"},
		&urfave.StringFlag{Name: "idle-timeout", Usage: "stop it after `D` without a sign of life (default: 10m)"},
	}
}

// parse reads the options that only agents have.
func (a *agentAsk) parse(c asked, l *journal.Limits) error {
	a.field, a.runtime, a.Model, a.Thinking, a.SystemPrompt, a.Permission = c.Field("runtime"), c.String("runtime"), c.String("model"), c.String("thinking"), c.String("system-prompt"), journal.PermissionDeny
	for _, name := range []string{"runtime", "model", "thinking", "permission", "context"} {
		if c.IsSet(name) {
			if err := cli.CheckLabel(c.Field(name), c.String(name)); err != nil {
				return err
			}
		}
	}
	if c.IsSet("runtime") {
		if _, err := agents.Named(c.Field("runtime"), a.runtime); err != nil {
			return err
		}
	}
	if c.IsSet("permission") {
		a.Permission = c.String("permission")
	}
	if c.IsSet("system-prompt") {
		if err := cli.CheckText(c.Field("system-prompt"), a.SystemPrompt); err != nil {
			return err
		}
	}
	var err error
	if a.fork, err = forked(c); err != nil {
		return err
	}
	if a.Tools, err = toolList(c); err != nil {
		return err
	}
	return limitAgent(c, l)
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

func limitAgent(c asked, l *journal.Limits) error {
	l.MaxDurationMS, l.StartupMS, l.IdleMS = defaultDuration.Milliseconds(), defaultStartup.Milliseconds(), defaultIdle.Milliseconds()
	turns, err := positive(c, "max-turns", defaultTurns, math.MaxInt32)
	if err != nil {
		return err
	}
	l.MaxTurns, l.ReservedTurns = int(turns), int(min(reservedTurns, turns-1))
	if l.MaxTokens, err = positive(c, "max-tokens", 0, math.MaxInt64); err != nil {
		return err
	}
	if c.IsSet("max-cost") {
		s := c.String("max-cost")
		l.MaxCostUSD, err = strconv.ParseFloat(strings.TrimPrefix(s, "$"), 64)
		if err != nil || !(l.MaxCostUSD > 0) || math.IsInf(l.MaxCostUSD, 0) {
			return cli.Fail(cli.Usage, "%s %q is no amount; dollars above zero are, such as 0.50", c.Field("max-cost"), s)
		}
	}
	if err := span(c, "startup-timeout", &l.StartupMS); err != nil {
		return err
	}
	return span(c, "idle-timeout", &l.IdleMS)
}

// positive is a whole number above zero.
func positive(c asked, flag string, otherwise, most int64) (int64, error) {
	if !c.IsSet(flag) {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(c.String(flag), 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, cli.Fail(cli.Usage, "%s %q is none; whole numbers from 1 to %d are accepted", c.Field(flag), c.String(flag), most)
	}
	return n, nil
}

func span(c asked, flag string, to *int64) error {
	if !c.IsSet(flag) {
		return nil
	}
	d, err := cli.SpanWithin(c.Field(flag), c.String(flag), time.Millisecond)
	*to = d.Milliseconds()
	return err
}
