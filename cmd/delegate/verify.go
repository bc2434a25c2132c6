package main

import (
	"math"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/options"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/settings"
)

func verifyFlags() []options.Option {
	return []options.Option{
		options.Texts("verify", "run `CMD` (by sh -c, in the run's directory) when the child has ended well; only if it exits 0 the run is completed; may be repeated"),
		options.Text("verify-timeout", "end each of them after `D` (default: the setting "+settings.KeyVerify+")"),
		options.Text("verify-retry", "tell the agent of a failure and let it go on, at most `N` times (default: 0)"),
	}
}

// prove reads how the work is to be verified.
func (w *work) prove(o asked) error {
	commands := o.StringSlice("verify")
	if len(commands) == 0 {
		for _, name := range []string{"verify-timeout", "verify-retry"} {
			if o.IsSet(name) {
				return cli.Fail(cli.Usage, "%s without %s says how to verify but not what", o.Field(name), o.Field("verify"))
			}
		}
		return nil
	}
	w.verify = &journal.Verify{Commands: commands}
	for i, c := range commands {
		if err := checkText(o.Field("verify"), c); err != nil {
			return err
		}
		if strings.TrimSpace(c) == "" {
			return cli.Fail(cli.Usage, "%s: command %d is empty", o.Field("verify"), i+1)
		}
	}
	if err := span(o, "verify-timeout", time.Millisecond, &w.verify.MaxDurationMS); err != nil {
		return err
	}
	retries, err := positive(o, "verify-retry", math.MaxInt32)
	if err != nil {
		return err
	}
	if w.verify.Retry = int(retries); retries > 0 && w.agent == nil {
		return cli.Fail(cli.Usage, "%s is for agents: a command cannot be told what it did wrong", o.Field("verify-retry"))
	}
	return nil
}

// mendable refuses to promise follow-ups of an agent that cannot go on.
func (w *work) mendable(r agent.Runtime) error {
	if why := r.Abilities().Continue; w.verify != nil && w.verify.Retry > 0 && why != "" {
		return cli.Fail(cli.Refused, "%s cannot be told to mend its work: %s", r.Name(), why).WithTry("delegate without --verify-retry, and another run where it failed")
	}
	return nil
}
