package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// Unfinished lists removals that something interrupted.
func Unfinished(h journal.Home) ([]string, error) {
	d, err := os.Open(h.Runs())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	var left []string
	for _, n := range names {
		if strings.HasPrefix(n, trashPrefix) {
			left = append(left, filepath.Join(h.Runs(), n))
		}
	}
	return left, err
}

// FinishRemovals deletes what interrupted removals left.
func FinishRemovals(h journal.Home) error {
	left, err := Unfinished(h)
	for _, path := range left {
		id := strings.TrimPrefix(filepath.Base(path), trashPrefix)
		if journal.ValidID(id) {
			if e := os.Remove(h.Admission(id)); e != nil && !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

// sweepAge is how old litter must be: younger, it may be somebody's work.
const sweepAge = 24 * time.Hour

// Sweep deletes what is of no use to anybody and older than both before and a
// day: directories of runs whose asker died before it wrote anything down,
// and answers to commands whose run is gone or that were about one.
func Sweep(h journal.Home, before time.Time) error {
	if day := time.Now().Add(-sweepAge); before.After(day) {
		before = day
	}
	ids, err := journal.RunIDs(h)
	if err != nil {
		return err
	}
	runs := set(ids)
	for _, id := range ids {
		if made, e := journal.IDTime(id); e != nil || made.After(before) {
			continue
		}
		if _, e := Brief(h, id); isGone(e) {
			err = errors.Join(err, os.RemoveAll(h.Run(id)))
		}
	}
	return errors.Join(err, sweepAdmissions(h, runs, before))
}

func sweepAdmissions(h journal.Home, runs map[string]bool, before time.Time) error {
	d, err := os.Open(h.Admissions())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, n := range names {
		id := strings.TrimSuffix(n, ".json")
		if made, e := journal.IDTime(id); e != nil || made.After(before) || runs[id] {
			continue
		}
		if _, e := os.Lstat(h.Command(id)); errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, os.Remove(h.Admission(id)))
		}
	}
	return err
}
