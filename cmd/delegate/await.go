package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/talk"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
)

// waitFor streams until the run is settled and turns its end into ours.
func (r *request) waitFor(ctx context.Context) error {
	if r.agent != nil {
		return r.waitForAgent(ctx)
	}
	var streams []*cli.Stream
	switch {
	case r.quiet:
		fmt.Println(r.id)
	case r.json:
		streams = []*cli.Stream{{Name: journal.StdoutFile, To: os.Stderr}, {Name: journal.StderrFile, To: os.Stderr}}
	default:
		fmt.Fprintln(os.Stderr, "run "+r.id)
		streams = []*cli.Stream{{Name: journal.StdoutFile, To: os.Stdout}, {Name: journal.StderrFile, To: os.Stderr}}
	}
	var err error
	if streams == nil {
		// Nothing to copy: the news of the end will do, and the child's writing
		// wakes nobody.
		err = supervisor.Await(ctx, r.home, func() (bool, error) { return cli.Over(r.home, r.id) })
	} else {
		err = cli.Follow(ctx, cli.Attended(r.home), r.home, r.id, streams...)
	}
	if err != nil {
		return r.interrupted(err)
	}
	v, err := cli.Load(r.home, r.id)
	if err != nil {
		return err
	}
	if r.json {
		if err := cli.PrintJSON(v); err != nil {
			return err
		}
	}
	if v.Status == journal.StatusCompleted {
		return nil
	}
	if r.json || r.quiet {
		return &cli.Error{Code: cli.RunFailed}
	}
	return v.Failure()
}

// waitForAgent tells what the agent does until its run is settled, and prints
// its last word.
func (r *request) waitForAgent(ctx context.Context) error {
	switch {
	case r.quiet:
		fmt.Println(r.id)
	case !r.json:
		fmt.Fprintln(os.Stderr, "run "+r.id)
	}
	if err := talk.Wait(ctx, r.home, r.launch); err != nil {
		return r.interrupted(err)
	}
	return talk.Finish(r.home, r.id, r.json, r.quiet)
}

// interrupted says how to come back to a run that goes on.
func (r *request) interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		if err := r.posted.Sync(); err != nil {
			return err
		}
		return cli.Fail(cli.Interrupted, "the waiting was interrupted; run %s goes on", r.id).WithTry("agent-runs wait %s, agent-runs logs -f %s, or agent-runs stop %s", r.id, r.id, r.id)
	}
	return fmt.Errorf("run %s goes on, but: %w", r.id, err)
}

// awaitStart returns when the run has started, has to wait for its turn, or is
// over.
func (r *request) awaitStart(ctx context.Context) error {
	if r.doom != "" { // its end is as near
		return supervisor.Await(ctx, r.home, func() (bool, error) { return cli.Over(r.home, r.id) })
	}
	return cli.AwaitStart(ctx, r.home, r.launch)
}

// receipt prints the id and, for people, what can be done with it.
func (r *request) receipt() error {
	var err error
	if r.json {
		var v cli.View
		if v, err = cli.Load(r.home, r.id); err != nil {
			return err
		}
		err = cli.PrintJSON(v)
	} else {
		_, err = fmt.Println(r.id)
	}
	if err != nil {
		return cli.Fail(cli.RunFailed, "run %s goes on, but its id could not be printed: %v", r.id, err)
	}
	var result journal.Result
	if cli.Settled(r.home, r.id) && journal.Read(r.home.File(r.id, journal.ResultFile), &result) == nil && (result.Cause == journal.CauseSpawn || result.Cause == journal.CauseBlocked) {
		return cli.Fail(cli.RunFailed, "not started: %s", result.Error)
	}
	if !r.json && !r.quiet {
		fmt.Fprintf(os.Stderr, "%s; see agent-runs inspect %s\n", cli.Began(r.home, r.id), r.id)
	}
	return nil
}
