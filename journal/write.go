package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/internal/rawfile"
	natefinch "github.com/natefinch/atomic"
	"golang.org/x/sys/unix"
)

// tmpPrefix starts every unpublished name. No reader matches it, and sweeping
// the home removes what a crash left under it.
const tmpPrefix = ".tmp-"

var tmpSerial atomic.Uint64

// ErrExists reports that a write-once record is already there: the caller
// lost, the record on disk is the winner.
var ErrExists = errors.New("record exists")

// Batch writes several write-once records that may become durable at the same
// time. Order of the items is the order of publication, so a later record is
// never visible without the earlier ones.
//
// StageIn, if set, holds the unpublished files instead of the records' own
// directories. Who watches a directory is then woken by whole records only.
type Batch struct {
	StageIn string
	items   []item
	dirs    []string
}

type item struct {
	path   string
	also   []string // further names of the same file
	body   []byte
	staged *rawfile.Staged
	err    error // ErrExists, or nil
}

// Add appends a record. Nothing touches the disk before Publish.
func (b *Batch) Add(path string, record any) error {
	b.AddDir(filepath.Dir(path))
	return b.AddUnsynced(path, record)
}

// AddUnsynced is Add for a record whose name need not be durable when Sync
// returns: its loss in a power cut does no harm, and readers find it at once.
func (b *Batch) AddUnsynced(path string, record any) error {
	body, err := Encode(record)
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	b.items = append(b.items, item{path: path, body: append(body, '\n')})
	return nil
}

// Also gives the record that was added last a further name, published after
// its own. Where somebody has that name already, it is left as it is.
func (b *Batch) Also(path string) {
	b.AddDir(filepath.Dir(path))
	last := &b.items[len(b.items)-1]
	last.also = append(last.also, path)
}

// AddDir names a directory that Sync must make durable besides those of the records.
func (b *Batch) AddDir(dir string) {
	for _, d := range b.dirs {
		if d == dir {
			return
		}
	}
	b.dirs = append(b.dirs, dir)
}

// Publish writes and syncs all bodies at once, then links them in order. When
// it returns nil every record is visible and whole; it is durable only after
// Sync. An item that lost to an existing record is found by Lost; its
// successors are still published.
func (b *Batch) Publish() error {
	err := each(len(b.items), func(i int) error { return b.items[i].stage(b.StageIn) })
	for i := range b.items {
		it := &b.items[i]
		if err == nil {
			failpoint.Hit(pointName(it.path) + "/staged")
			err = it.publish()
		}
		it.staged.Drop() // a leftover is harmless and swept at the next start
	}
	return err
}

// Sync makes what Publish made visible durable.
func (b *Batch) Sync() error {
	err := each(len(b.dirs), func(i int) error { return SyncDir(b.dirs[i]) })
	if err == nil && len(b.items) > 0 {
		failpoint.Hit(pointName(b.items[len(b.items)-1].path) + "/durable")
	}
	return err
}

// Commit is Publish and Sync.
func (b *Batch) Commit() error {
	if err := b.Publish(); err != nil {
		return err
	}
	return b.Sync()
}

// Lost reports whether the record at path lost to an existing one.
func (b *Batch) Lost(path string) bool {
	for i := range b.items {
		if b.items[i].path == path {
			return b.items[i].err != nil
		}
	}
	return false
}

func (it *item) stage(dir string) (err error) {
	if dir == "" {
		dir = filepath.Dir(it.path)
	}
	it.staged, err = rawfile.Stage(dir, it.temporary, it.body)
	return err
}

// temporary names the file while it has no name of its own, on file systems
// where it needs one.
func (it *item) temporary() string {
	return tmpPrefix + filepath.Base(it.path) + "-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(tmpSerial.Add(1), 36)
}

// publish gives a staged body its names, unless it lost the first.
func (it *item) publish() error {
	for i, name := range append([]string{it.path}, it.also...) {
		err := it.staged.Link(name)
		switch {
		case err == nil:
			failpoint.Hit(pointName(name) + "/linked")
		case !errors.Is(err, fs.ErrExist):
			return err
		case i == 0:
			it.err = ErrExists
			failpoint.Hit(pointName(name) + "/linked")
			return nil
		}
	}
	return nil
}

// WriteOnce makes one record durable, or returns ErrExists.
func WriteOnce(path string, record any) error {
	var b Batch
	if err := b.Add(path, record); err != nil {
		return err
	}
	if err := b.Commit(); err != nil {
		return fmt.Errorf("record %s: %w", path, err)
	}
	if b.Lost(path) {
		return fmt.Errorf("record %s: %w", path, ErrExists)
	}
	return nil
}

// Replace durably puts record in place of what is at path.
func Replace(path string, record any) error {
	body, err := Encode(record)
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	return ReplaceText(path, append(body, '\n'))
}

// ReplaceText is Replace for a file that is no record of ours alone.
func ReplaceText(path string, body []byte) error {
	failpoint.Hit(pointName(path) + "/staged")
	// natefinch/atomic writes and syncs a temporary file beside path and renames it.
	if err := natefinch.WriteFile(path, bytes.NewReader(body)); err != nil {
		return fmt.Errorf("record %s: %w", path, err)
	}
	failpoint.Hit(pointName(path) + "/linked")
	return SyncDir(filepath.Dir(path))
}

// SyncDir makes the names in dir durable.
func SyncDir(dir string) error {
	return rawfile.SyncDir(dir)
}

// SweepTemporaries removes unpublished files in dir that are older than age.
// Younger ones may belong to a writer that is at work.
func SweepTemporaries(dir string, age time.Duration, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !isTemporary(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > age {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// isTemporary matches our unpublished names and those of natefinch/atomic,
// which appends digits to the name it replaces.
func isTemporary(name string) bool {
	stem := strings.TrimRight(name, "0123456789")
	return strings.HasPrefix(name, tmpPrefix) || stem != name && strings.HasSuffix(stem, ".json")
}

// each runs f(0..n-1) at the same time and returns the first error by index.
// A single call stays on this goroutine.
func each(n int, f func(int) error) error {
	if n == 1 {
		return f(0)
	}
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := 1; i < n; i++ {
		wg.Go(func() { errs[i] = f(i) })
	}
	if n > 0 {
		errs[0] = f(0)
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Warm makes the runtime create the threads that two writes side by side
// need, ahead of the first one.
func Warm() {
	each(2, func(int) error {
		_, err := unix.Poll(nil, 1) // holds its thread for a millisecond
		return err
	})
}

// pointName names a record for failpoints: "admission", "launch", …
func pointName(path string) string {
	dir, name := filepath.Split(path)
	switch base := filepath.Base(dir); base {
	case "commands", "admissions":
		return strings.TrimSuffix(base, "s")
	}
	return strings.TrimSuffix(name, ".json")
}
