package main

import (
	"errors"
	"os"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/agents"
	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/settings"
)

// agentAsk is what a call asks of an agent, checked as far as it can be
// without looking at the home.
type agentAsk struct {
	journal.Agent
	runtime string // "": to be chosen
	field   string // how the caller spells the option for it
	fork    string // the session or run to fork; "": a fresh session
}

// complete puts into the launch record what is asked, and returns the runtime.
// path is the PATH that the child will have.
func (a *agentAsk) complete(h journal.Home, w *work, l *journal.Launch, path string) (agent.Runtime, error) {
	from, err := a.origin(h, l.Owner)
	if err != nil {
		return nil, err
	}
	r, err := a.pick(from, path, w.settings.Runtime())
	if err != nil {
		return nil, err
	}
	l.Agent = &a.Agent
	if a.fork == "" {
		return r, nil
	}
	l.Context = journal.ContextFork
	a.SessionID = a.fork
	if from == nil {
		return r, nil
	}
	if a.SessionID, a.SessionFile = from.Session(); a.SessionID+a.SessionFile == "" {
		return nil, cli.Fail(cli.Refused, "run %s cannot be forked: its agent never told the name of its session", from.ID)
	}
	if !w.cwdGiven {
		l.Cwd = from.Launch.Cwd
	}
	return r, nil
}

// origin is the run of ours that is to be forked. Nil: it is a session that
// only the agent knows.
func (a *agentAsk) origin(h journal.Home, owner string) (*cli.View, error) {
	if a.fork == "" {
		return nil, nil
	}
	id, err := cli.Resolve(h, a.fork, owner)
	if err != nil {
		var e *cli.Error
		if errors.As(err, &e) && e.Code == cli.NotFound && !journal.ValidID(strings.ToUpper(a.fork)) {
			return nil, nil
		}
		return nil, err
	}
	v, err := cli.Brief(h, id)
	if err != nil {
		return nil, err
	}
	if !v.IsAgent() {
		return nil, cli.Fail(cli.Refused, "run %s cannot be forked: it is not an agent's", id)
	}
	return &v, nil
}

// pick returns the runtime. set is the one of the settings.
func (a *agentAsk) pick(from *cli.View, path string, set settings.Setting) (agent.Runtime, error) {
	switch {
	case from != nil && a.runtime != "" && a.runtime != from.Launch.Program.Runtime:
		return nil, cli.Fail(cli.Usage, "%s %s cannot fork run %s: that is %s's", a.field, a.runtime, from.ID, from.Launch.Program.Runtime)
	case from != nil:
		return agents.Named("runtime", from.Launch.Program.Runtime)
	case a.runtime != "":
		return agents.Named(a.field, a.runtime)
	default:
		return agents.Choose(os.Getenv, set, path)
	}
}
