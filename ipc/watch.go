package ipc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pollInterval is how often directories are looked at where the kernel
// cannot tell of changes.
const pollInterval = 50 * time.Millisecond

// Watch tells of changes in directories.
type Watch struct {
	// Names receives the base name of a file that appeared or changed, or ""
	// for "look at everything".
	Names chan string
	// Note is empty where the kernel tells, else why it cannot.
	Note string

	notify *fsnotify.Watcher
	stop   chan struct{}
}

// NewWatch watches the directories from now on. Where the kernel cannot, it
// polls. The error is a directory that is not there.
func NewWatch(dirs ...string) (*Watch, error) {
	for _, d := range dirs {
		if _, err := os.Stat(d); err != nil {
			return nil, err
		}
	}
	w := &Watch{Names: make(chan string, 64), stop: make(chan struct{})}
	notify, err := fsnotify.NewWatcher()
	if err == nil {
		for _, d := range dirs {
			if err = notify.Add(d); err != nil {
				notify.Close()
				break
			}
		}
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		w.Note = "polling: " + err.Error()
		go w.poll()
		return w, nil
	}
	w.notify = notify
	go w.forward()
	return w, nil
}

// Close ends the watch.
func (w *Watch) Close() {
	close(w.stop)
	if w.notify != nil {
		w.notify.Close()
	}
}

func (w *Watch) forward() {
	for {
		select {
		case e, ok := <-w.notify.Events:
			if !ok {
				return
			}
			if name := filepath.Base(e.Name); e.Op&(fsnotify.Create|fsnotify.Write|fsnotify.Rename|fsnotify.Remove) != 0 && !strings.HasPrefix(name, ".") {
				w.tell(name)
			}
		case _, ok := <-w.notify.Errors:
			if !ok {
				return
			}
			w.tell("") // the queue overflowed: events were lost
		}
	}
}

func (w *Watch) poll() {
	t := time.NewTicker(pollInterval)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			w.tell("")
		case <-w.stop:
			return
		}
	}
}

func (w *Watch) tell(name string) {
	select {
	case w.Names <- name:
	case <-w.stop:
	}
}
