package ipc

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pollInterval is how often directories are looked at where the kernel
// cannot tell of changes.
const pollInterval = 50 * time.Millisecond

// burst is how many events are read ahead, so that a reader who was busy can
// take them together.
const burst = 64

// Watch tells of changes in directories. Its channels are to be selected on;
// those that do not apply are nil.
type Watch struct {
	Events <-chan fsnotify.Event // something happened to a file: see Named
	Lost   <-chan error          // events were lost: look at everything
	Ticks  <-chan time.Time      // the kernel cannot tell: look at everything
	// Note is empty where the kernel tells, else why it cannot.
	Note string

	notify *fsnotify.Watcher
	ticker *time.Ticker
}

// NewWatch watches the directories from now on. Where the kernel cannot, it
// polls. The error is a directory that is not there.
func NewWatch(dirs ...string) (*Watch, error) {
	for _, d := range dirs {
		if _, err := os.Stat(d); err != nil {
			return nil, err
		}
	}
	notify, err := fsnotify.NewBufferedWatcher(burst)
	if err == nil {
		for _, d := range dirs {
			if err = notify.Add(d); err != nil {
				notify.Close()
				break
			}
		}
	}
	switch {
	case err == nil:
		return &Watch{Events: notify.Events, Lost: notify.Errors, notify: notify}, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	t := time.NewTicker(pollInterval)
	return &Watch{Ticks: t.C, Note: "polling: " + err.Error(), ticker: t}, nil
}

// Close ends the watch.
func (w *Watch) Close() {
	if w.notify != nil {
		w.notify.Close()
	} else {
		w.ticker.Stop()
	}
}

// Named returns the base name of a file that appeared or changed. What is
// not published yet has no name, or "#" and its inode on Linux.
func Named(e fsnotify.Event) (string, bool) {
	name := filepath.Base(e.Name)
	return name, e.Op&(fsnotify.Create|fsnotify.Write|fsnotify.Rename|fsnotify.Remove) != 0 && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "#")
}

// Names returns the names of e and of the events that came after it already,
// each once.
func (w *Watch) Names(e fsnotify.Event) []string {
	var names []string
	for left := burst; ; left-- {
		if name, ok := Named(e); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if left == 0 {
			return names // what was taken out of the channel is in it
		}
		select {
		case e = <-w.Events:
		default:
			return names
		}
	}
}

// Wait returns after the next change, or with ctx's error. Changes that are
// there already are one.
func (w *Watch) Wait(ctx context.Context) error {
	for {
		select {
		case e := <-w.Events:
			if _, ok := Named(e); !ok {
				continue
			}
			w.drain()
			return nil
		case <-w.Lost:
			return nil
		case <-w.Ticks:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// drain drops what can be read at once: one look serves it all.
func (w *Watch) drain() {
	for {
		select {
		case <-w.Events:
		default:
			return
		}
	}
}

// Add watches one more directory.
func (w *Watch) Add(dir string) error {
	if w.notify == nil {
		return nil // everything is looked at anyway
	}
	return w.notify.Add(dir)
}

// Drop ends the watching of a directory that Add or NewWatch named.
func (w *Watch) Drop(dir string) {
	if w.notify != nil {
		w.notify.Remove(dir) // one that is gone is not watched any more
	}
}
