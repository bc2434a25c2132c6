package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/journal/completion"
)

// ackAll stands for everything that waits. A run of that name is named by its id.
const ackAll = "all"

// acknowledge takes note of the completions of these runs, of all or of none.
// It says which, unless that is quiet.
func (t *tidings) acknowledge(refs []string, quiet bool) error {
	if _, err := os.Lstat(t.home.Dir); errors.Is(err, fs.ErrNotExist) && refs[0] != ackAll {
		return cli.Fail(cli.NotFound, "there is no run %q", refs[0])
	}
	ids, err := t.meant(refs)
	if err != nil || len(ids) == 0 {
		return err
	}
	lock, err := cli.LockOwner(t.home, t.owner)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := t.fence.Check(); err != nil {
		return err
	}
	var records []journal.Acknowledged
	now := time.Now().UTC()
	for _, id := range ids {
		records = append(records, journal.Acknowledged{Version: journal.Version, ID: id, Owner: t.owner, Generation: t.fence.Generation(), At: now})
	}
	done, err := completion.Acknowledge(t.home, records)
	if !quiet {
		for _, id := range done {
			if _, e := fmt.Println(id); e != nil {
				return e
			}
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Fail(cli.NotFound, "a run was removed meanwhile: %v", err)
	}
	return err
}

// meant resolves the references and refuses what cannot be acknowledged.
func (t *tidings) meant(refs []string) ([]string, error) {
	var ids, named []string
	for _, ref := range refs {
		if ref != ackAll {
			named = append(named, ref)
			continue
		}
		ended, _, err := cli.Waiting(t.home, t.owner, nil)
		if err != nil {
			return nil, err
		}
		for _, e := range ended {
			ids = append(ids, e.RunID)
		}
	}
	named, err := cli.ResolveAll(t.home, named, t.owner)
	if err != nil {
		return nil, err
	}
	for _, id := range named {
		if err := t.mayAcknowledge(id); err != nil {
			return nil, err
		}
	}
	return append(ids, named...), nil
}

func (t *tidings) mayAcknowledge(id string) error {
	v, err := cli.Brief(t.home, id)
	if err != nil {
		return err
	}
	switch {
	case v.Owner != t.owner:
		return cli.Fail(cli.NotFound, "run %s is not yours (%s) but belongs to %q", id, t.owner, v.Owner).WithTry("--owner %s", cli.CommandLine([]string{v.Owner}, 200))
	case v.Launch != nil && v.Launch.PartOf != "":
		return cli.Fail(cli.Refused, "run %s is a part of run %s and has no completion of its own", id, v.Launch.PartOf)
	case !cli.Settled(t.home, id):
		return cli.Fail(cli.Refused, "run %s is not acknowledged: it is not over but %s", id, v.Status).WithTry("agent-runs wait %s", id)
	}
	return nil
}
