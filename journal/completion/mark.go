package completion

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/journal"
)

// overSuffix ends the mark of a run whose result is there.
const overSuffix = ".over"

func mark(h journal.Home, owner, id string) string { return filepath.Join(h.Outstanding(owner), id) }

// Expect marks a run that will have a completion, before its result can be
// there. Written by the supervisor. Marking twice is harmless.
func Expect(h journal.Home, owner, id string) error {
	err := give(h, owner, id, mark(h, owner, id))
	failpoint.Hit("completion/expected")
	return err
}

// Deliver says that the result of a marked run is durable, which wakes those
// who follow. Written by the supervisor. If the mark could not be made before
// it is made now; where not even that can be done the list counts as
// incomplete from now on, and its next reader completes it.
func Deliver(h journal.Home, owner, id string) error {
	path := mark(h, owner, id)
	err := os.Rename(path, path+overSuffix)
	if errors.Is(err, fs.ErrNotExist) && waits(h, id) {
		err = give(h, owner, id, path+overSuffix)
	}
	failpoint.Hit("completion/delivered")
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil // delivered, or acknowledged already, or removed with its run
	}
	return errors.Join(err, doubt(h, owner))
}

// give makes a mark. A run without a launch record gets one of its own.
func give(h journal.Home, owner, id, path string) error {
	err := os.Link(h.File(id, journal.LaunchFile), path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = os.Link(h.File(id, journal.LaunchFile), path)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		var f *os.File
		if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
			err = f.Close()
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// waits reports whether the run's verdict is there and not acknowledged.
func waits(h journal.Home, id string) bool {
	return there(h.File(id, journal.ResultFile)) && !there(h.File(id, journal.AcknowledgedFile))
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Forget removes the mark of a run that is acknowledged or was removed.
func Forget(h journal.Home, owner, id string) error {
	// In this order: the supervisor may be about to rename the first.
	path := mark(h, owner, id)
	for _, p := range []string{path, path + overSuffix} {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
