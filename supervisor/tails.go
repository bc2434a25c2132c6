package supervisor

import (
	"log"
	"sync"

	"github.com/agent-runs/agent-runs/ipc"
)

// tails wakes those who follow a growing file: one watch for all of them, for
// the kernel gives a user only so many.
type tails struct {
	mu    sync.Mutex
	watch *ipc.Watch
	of    map[string]chan struct{}
}

// add follows a file. What grew before is not told.
func (t *tails) add(path string, logger *log.Logger) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.watch == nil {
		w, err := ipc.NewWatch()
		if err != nil {
			logger.Printf("watch of outputs: %v", err)
		}
		t.watch, t.of = w, map[string]chan struct{}{}
		go t.loop(w)
	}
	c := make(chan struct{}, 1)
	t.of[path] = c
	if err := t.watch.Add(path); err != nil {
		logger.Printf("watch of %s: %v", path, err)
	}
	return c
}

func (t *tails) drop(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, path)
	t.watch.Drop(path)
}

func (t *tails) loop(w *ipc.Watch) {
	for {
		select {
		case e := <-w.Events:
			t.tell(e.Name)
		case <-w.Lost:
			t.tellAll()
		case <-w.Ticks:
			t.tellAll()
		}
	}
}

func (t *tails) tell(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	poke(t.of[path])
}

func (t *tails) tellAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.of {
		poke(c)
	}
}

// poke leaves a note for a reader that may be busy; one note is enough.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
