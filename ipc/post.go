package ipc

import (
	"fmt"

	"github.com/agent-runs/agent-runs/journal"
)

// Post publishes commands. From then on they will be answered, whoever is
// killed. The supervisor syncs their names; a power cut before that ends
// everything they could have acted on.
//
// On a full disk the home's reserve is spent: commands are how what fills it
// is stopped.
func Post(h journal.Home, commands ...journal.Command) error {
	err := post(h, commands)
	if journal.SpendReserve(h, err) {
		err = post(h, commands)
	}
	return err
}

func post(h journal.Home, commands []journal.Command) error {
	b := journal.Batch{StageIn: h.Dir}
	for _, c := range commands {
		if err := b.AddUnsynced(h.Command(c.ID), c); err != nil {
			return err
		}
	}
	if err := b.Publish(); err != nil {
		return fmt.Errorf("post a command: %w", err)
	}
	return nil
}

// PostedRun is a run that can be seen but need not be durable yet.
type PostedRun struct{ batch journal.Batch }

// PostRun publishes a launch and its run command, of which the actor counts:
// the rest is what the launch says. Whoever acts on the command makes both
// durable before anything of the run executes, so an asker that waits for the
// start does not have to. Who acknowledges a run that has not started calls
// Sync first.
//
// One file is all of it, the run's lock included: each further one would be
// an inode, and some file systems take as long to find a free one as to write
// the record. Nobody writes to any of them, and a name that is lost or damaged
// is made anew or done without as if it had been a file of its own.
func PostRun(h journal.Home, l journal.Launch, c journal.Command) (*PostedRun, error) {
	p := &PostedRun{journal.Batch{StageIn: h.Run(l.ID)}}
	if err := p.batch.Add(h.File(l.ID, journal.LaunchFile), l.Ordered(c.Actor)); err != nil {
		return nil, err
	}
	p.batch.AddDir(h.Runs())
	p.batch.Also(h.File(l.ID, journal.LockFile))
	p.batch.Also(h.Command(l.ID))
	if err := p.batch.Publish(); err != nil {
		return nil, fmt.Errorf("post run %s: %w", l.ID, err)
	}
	return p, nil
}

// PostSuccessor publishes a run that goes on with the session of l.Predecessor.
// Of several that would, one gets it: the others are told journal.ErrExists and
// have commanded nothing. The launch is durable before it claims the session,
// so that what a session's name leads to is always there; the claim is durable
// before the command, so that nothing runs that does not hold it. An asker that
// dies in between leaves a run that was never commanded, and which can be
// continued in its turn.
func PostSuccessor(h journal.Home, l journal.Launch, c journal.Command) error {
	b := journal.Batch{StageIn: h.Run(l.ID)}
	if err := b.Add(h.File(l.ID, journal.LaunchFile), l); err != nil {
		return err
	}
	b.AddDir(h.Runs())
	if err := b.Commit(); err != nil {
		return fmt.Errorf("post run %s: %w", l.ID, err)
	}
	claim := journal.Successor{Version: journal.Version, ID: l.ID}
	if err := journal.WriteOnce(h.File(l.Predecessor, journal.SuccessorFile), claim); err != nil {
		return err
	}
	return Post(h, c)
}

// Successor returns the run that goes on with the session of run id, or
// journal.ErrMissing.
func Successor(h journal.Home, id string) (string, error) {
	var s journal.Successor
	err := journal.Read(h.File(id, journal.SuccessorFile), &s)
	return s.ID, err
}

// Sync makes the run durable.
func (p *PostedRun) Sync() error { return p.batch.Sync() }

// Admission returns the answer to a command, or journal.ErrMissing.
func Admission(h journal.Home, id string) (*journal.Admission, error) {
	var a journal.Admission
	if err := journal.Read(h.Admission(id), &a); err != nil {
		return nil, err
	}
	return &a, nil
}
