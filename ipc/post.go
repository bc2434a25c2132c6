package ipc

import (
	"errors"
	"fmt"

	"github.com/agent-runs/agent-runs/journal"
)

// Post makes a command durable in the command directory. From then on it will
// be answered, whoever dies.
func Post(h journal.Home, c journal.Command) error {
	b := journal.Batch{StageIn: h.Dir}
	if err := b.Add(h.Command(c.ID), c); err != nil {
		return err
	}
	if err := b.Commit(); err != nil {
		return fmt.Errorf("post command %s: %w", c.ID, err)
	}
	return nil
}

// PostRun makes a launch and its run command durable. visible is called as
// soon as both can be seen and before they are synced, so that the supervisor
// works while the disk does; it syncs the same directories before it acts.
func PostRun(h journal.Home, l journal.Launch, c journal.Command, visible func() error) error {
	b := journal.Batch{StageIn: h.Run(l.ID)}
	if err := b.Add(h.File(l.ID, journal.LaunchFile), l); err != nil {
		return err
	}
	b.AddDir(h.Runs())
	if err := b.Add(h.Command(c.ID), c); err != nil {
		return err
	}
	if err := b.Publish(); err != nil {
		return fmt.Errorf("post run %s: %w", l.ID, err)
	}
	return errors.Join(visible(), b.Sync())
}

// Admission returns the answer to a command, or journal.ErrMissing.
func Admission(h journal.Home, id string) (*journal.Admission, error) {
	var a journal.Admission
	if err := journal.Read(h.Admission(id), &a); err != nil {
		return nil, err
	}
	return &a, nil
}
