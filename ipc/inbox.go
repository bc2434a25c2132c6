package ipc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
)

// Pending lists the ids of the commands in the command directory, oldest
// first. strange holds the names of what cannot be a command.
func Pending(h journal.Home) (ids, strange []string, err error) {
	d, err := os.Open(h.Commands())
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, n := range names {
		switch id, ok := CommandID(n); {
		case ok:
			ids = append(ids, id)
		case !strings.HasPrefix(n, "."):
			strange = append(strange, n)
		}
	}
	slices.Sort(ids)
	return ids, strange, err
}

// CommandID returns the id in a command's file name.
func CommandID(name string) (string, bool) {
	id, ok := strings.CutSuffix(name, ".json")
	return id, ok && journal.ValidID(id)
}

// Take reads the command with id and checks that it can be acted upon.
func Take(h journal.Home, id string) (journal.Command, error) {
	var c journal.Command
	path := h.Command(id)
	if err := journal.Read(path, &c); err != nil {
		return c, err
	}
	reason := ""
	switch {
	case c.ID != id:
		reason = "it bears the id " + c.ID
	case c.Action == journal.ActionRun && c.RunID != id:
		reason = "a run command bears the id of its run"
	case c.RunID != "" && !journal.ValidID(c.RunID):
		reason = fmt.Sprintf("runId %q is no id", c.RunID)
	}
	if reason != "" {
		return c, &journal.DamagedError{Path: path, Reason: reason}
	}
	return c, nil
}

// Done removes a command whose effect is complete. Its admission stays and
// answers a repetition.
func Done(h journal.Home, id string) error {
	if err := os.Remove(h.Command(id)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// SetAside moves what cannot be a command out of the way and keeps it.
func SetAside(h journal.Home, name string) error {
	return os.Rename(filepath.Join(h.Commands(), name), filepath.Join(h.Damaged(), name))
}
