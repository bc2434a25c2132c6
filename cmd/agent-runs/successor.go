package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/agents"
	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/posting"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
)

// succeed starts the run that goes on with the session of one that is over. It
// takes its turn unless its caller waits for it.
func succeed(h journal.Home, v cli.View, prompt string, queue bool) (*journal.Launch, error) {
	if err := posting.Allowed(); err != nil {
		return nil, err
	}
	if _, err := cli.SuccessorOf(h, v.ID); !errors.Is(err, journal.ErrMissing) {
		return nil, continued(h, v.ID, err)
	}
	r, err := agents.Named("runtime", v.Launch.Program.Runtime)
	if err != nil {
		return nil, err
	}
	if why := r.Abilities().Continue; why != "" {
		return nil, cli.Fail(cli.Refused, "run %s cannot be continued: %s", v.ID, why).WithTry("delegate PROMPT")
	}
	l, err := successorOf(v, prompt)
	if err != nil {
		return nil, err
	}
	l.Queue = queue
	env, err := agents.Equip(l, r, posting.Env(os.Environ(), nil, l.Cwd))
	if err != nil {
		return nil, err
	}
	err = post(h, l, env)
	if errors.Is(err, journal.ErrExists) {
		return nil, continued(h, v.ID, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("the run was not started: %w", err)
	}
	return l, supervised(h)
}

// successorOf is what is asked of the next run: the same as of v, but for the
// prompt.
func successorOf(v cli.View, prompt string) (*journal.Launch, error) {
	a := *v.Agent
	if a.SessionID, a.SessionFile = v.Session(); a.SessionID+a.SessionFile == "" {
		return nil, cli.Fail(cli.Refused, "run %s cannot be continued: its agent never told the name of its session", v.ID).WithTry("delegate PROMPT")
	}
	a.Prompt = prompt
	now := time.Now().UTC()
	old := v.Launch
	limits := newCaps().on(old)
	return &journal.Launch{ID: journal.NewID(now), RootID: old.RootID, Predecessor: v.ID, Index: old.NextIndex(), Name: old.Name, Owner: old.Owner, Cwd: old.Cwd,
		Context: journal.ContextResume, Limits: limits, Verify: verifyOf(old), Umask: old.Umask, Agent: &a, CreatedAt: now}, nil
}

// post makes the run, unless another has the session already.
func post(h journal.Home, l *journal.Launch, env []string) error {
	if err := os.Mkdir(h.Run(l.ID), 0o700); err != nil {
		return err
	}
	err := posting.Fill(h, l, env, l.Umask)
	if err == nil {
		err = ipc.PostSuccessor(h, *l, posting.Command(l))
	}
	if err == nil {
		return nil
	}
	if s, e := cli.SuccessorOf(h, l.Predecessor); e == nil && s == l.ID {
		return err // the claim stands: its run has to be there
	}
	posting.Withdraw(h, l)
	return err
}

// continued refuses to go on twice with a session and says how to go on with
// the run that has it.
func continued(h journal.Home, id string, err error) error {
	next, e := cli.SuccessorOf(h, id)
	if err = errors.Join(err, e); err != nil {
		return cli.Fail(cli.Refused, "run %s was continued already, but by which run cannot be read: %v", id, err)
	}
	return cli.Fail(cli.Refused, "run %s was continued already, by run %s", id, next).WithTry("agent-runs continue %s PROMPT", next)
}

// verifyOf is how the run before was verified: so is the one that goes on.
func verifyOf(old *journal.Launch) *journal.Verify {
	if old.Verify == nil {
		return nil
	}
	v := *old.Verify
	v.EnvFile = ""
	return &v
}
