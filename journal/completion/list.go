package completion

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
)

// Marked lists the runs of the owner that are marked, oldest first: all whose
// completion is not acknowledged, and those that are not over yet. Marks of
// runs that were acknowledged or removed, left by a kill, are cleared away.
// Those in seen are left out without a look.
func Marked(h journal.Home, owner string, seen map[string]bool) ([]string, error) {
	d, err := os.Open(h.Outstanding(owner))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // removed while it was read
	}
	var ids []string
	for _, n := range names {
		if id := strings.TrimSuffix(n, overSuffix); journal.ValidID(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return seen[id] || settled(h, owner, id) }), err
}

// settled reports whether nothing is to come from a marked run any more.
func settled(h journal.Home, owner, id string) bool {
	acknowledged := there(h.File(id, journal.AcknowledgedFile))
	if _, err := os.Lstat(h.Run(id)); !acknowledged && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	Forget(h, owner, id) // whoever lists next tries again
	return true
}

// batchSize bounds how many acknowledgements share one wait for the disk.
const batchSize = 64

// Acknowledge notes durably that the owner of these runs knows of their ends,
// and removes their marks. Doing it again is harmless. It returns the runs
// that are acknowledged when it returns, also with an error.
func Acknowledge(h journal.Home, records []journal.Acknowledged) (done []string, err error) {
	for some := range slices.Chunk(records, batchSize) {
		b := journal.Batch{StageIn: h.Dir}
		for _, a := range some {
			if err := b.Add(h.File(a.ID, journal.AcknowledgedFile), a); err != nil {
				return done, err
			}
		}
		if err := b.Commit(); err != nil {
			return done, err
		}
		for _, a := range some {
			done = append(done, a.ID)
			if err := Forget(h, a.Owner, a.ID); err != nil {
				return done, err
			}
		}
	}
	return done, nil
}
