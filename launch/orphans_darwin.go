package launch

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// Orphans reaps the supervisor's shims. macOS gives the children of a dead
// shim to launchd, never to us, so that is all there is to do.
type Orphans struct{ mu sync.Mutex }

// AdoptOrphans starts reaping. From then on no other code of this process may
// wait for children.
func AdoptOrphans() (*Orphans, error) {
	o := &Orphans{}
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCHLD)
	go func() {
		for range c {
			o.reap()
		}
	}()
	return o, nil
}

// SpawnShim starts a shim. It is not reaped before its identity was read.
func (o *Orphans) SpawnShim(h journal.Home) (*ShimProcess, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return SpawnShim(h)
}

func (o *Orphans) reap() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if !errors.Is(err, syscall.EINTR) && (err != nil || pid == 0) {
			return
		}
	}
}

// Settled has nothing to tell apart here.
func (o *Orphans) Settled(journal.Identity) {}

func (o *Orphans) expect(string, journal.Identity) {}
func (o *Orphans) release(string)                  {}

func (o *Orphans) changed() <-chan struct{} { return lookAgain() }

// exit is unknown: only the parent could read it, and that was the shim.
func (f *Foster) exit(*Handle) (journal.Exit, time.Time) {
	return journal.Exit{Observed: journal.ObservedIdentityGone}, time.Now()
}

func (f *Foster) visible() []stat {
	list := vouched(&f.Process)
	if alive, _ := Alive(f.Process.Identity); alive {
		list = append(list, descendants(f.Process.PID)...)
	}
	return list
}

// provable is never: see tree.
func (f *Foster) provable() bool { return false }

func (f *Foster) askKernel(*clearing, func() []stat) {}
func (f *Foster) remove(*journal.Exit)               {}
func (f *Foster) suspects() []stat                   { return nil }
