package completion

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agent-runs/agent-runs/internal/rawfile"
	"github.com/agent-runs/agent-runs/journal"
)

// checkedFile holds the boot id under which the marks of an owner were last
// held against the runs there are.
const checkedFile = "outstanding.boot"

// Complete makes the marks that are missing: a power cut may have taken any,
// and a disk that was full may have refused them. It does so once a boot.
// each calls its argument with every run that may be owner's.
func Complete(h journal.Home, owner, boot string, each func(func(id string) error) error) error {
	checked := filepath.Join(h.Owner(owner), checkedFile)
	if last, err := rawfile.Read(checked); err == nil && string(last) == boot {
		return nil
	}
	// Under a name of its own until the end: who could not make a mark meanwhile
	// removes it (doubt), and then it was not complete.
	pending := checked + "-" + strconv.Itoa(os.Getpid())
	begun := os.WriteFile(pending, []byte(boot), 0o600)
	if err := each(func(id string) error { return complete(h, owner, id) }); err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(pending)))
	}
	if begun != nil {
		return nil // no folder, so no runs; or no room, and the next reader looks again
	}
	return ignoreMissing(os.Rename(pending, checked))
}

func complete(h journal.Home, owner, id string) error {
	if !waits(h, id) {
		return nil
	}
	var l journal.Launch
	var r journal.Result
	known, damage := journal.Read(h.File(id, journal.LaunchFile), &l), journal.Read(h.File(id, journal.ResultFile), &r)
	if known != nil {
		l.Owner = r.Owner
	}
	if l.PartOf != "" || l.Owner != owner || known != nil && damage != nil {
		return nil
	}
	return give(h, owner, id, mark(h, owner, id)+overSuffix)
}

// doubt makes the next reader of the list complete it.
func doubt(h journal.Home, owner string) error {
	d, err := os.Open(h.Owner(owner))
	if err != nil {
		return ignoreMissing(err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, n := range names {
		if strings.HasPrefix(n, checkedFile) {
			err = errors.Join(err, ignoreMissing(os.Remove(filepath.Join(h.Owner(owner), n))))
		}
	}
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
