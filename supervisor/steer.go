package supervisor

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// maxBacklog bounds what waits for a child that does not read its stdin.
const maxBacklog = 16 << 20

// runEnded is why a text that waited is not delivered any more.
const runEnded = "the run ended before the child read it"

// stdinEnded is the name of the mark that says that the child's stdin was
// closed, so that a later supervisor does not offer it again.
const stdinEnded = "stdin.ended"

// pump writes to one child's stdin, in order, as fast as the child reads. A
// child that never reads holds up its own pump and nothing else.
type pump struct {
	mu      sync.Mutex
	queue   []journal.Command
	backlog int
	ended   bool // an end was asked for: nothing more is taken
	wake    chan struct{}
	fifo    *os.File // nil until the child runs
	closed  string   // why nothing is delivered any more, or ""
	gone    bool     // the pump has said so of all that was queued
}

// steerable says why a steer command must be rejected, or "".
func (r *run) steerable(c journal.Command) string {
	if r.launch.Stdin.Mode != "open" {
		return "the run's stdin is not open; start it with --stdin open to steer it"
	}
	r.mu.Lock()
	p := r.stdin
	r.mu.Unlock()
	if p == nil {
		if _, err := os.Lstat(r.s.home.File(r.id, stdinEnded)); err == nil {
			return "the run's stdin was closed by an earlier --eof"
		}
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed != "":
		return p.closed
	case p.ended:
		return "the run's stdin was closed by an earlier --eof"
	case p.backlog+len(c.Text) > maxBacklog:
		return fmt.Sprintf("the child has not read %d bytes that wait for it; no more than %d are kept", p.backlog, maxBacklog)
	}
	return ""
}

// pumpOf returns the run's pump, made on first use.
func (r *run) pumpOf() *pump {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stdin == nil {
		r.stdin = &pump{wake: make(chan struct{}, 1)}
		go r.pumpLoop(r.stdin)
	}
	return r.stdin
}

// steer queues an accepted command. A pump that ended since is not there to
// say what became of it.
func (r *run) steer(c journal.Command) {
	p := r.pumpOf()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		go r.lose(c, p.closed)
		return
	}
	p.queue = append(p.queue, c)
	p.backlog += len(c.Text)
	p.ended = p.ended || c.EOF
	p.signal()
}

// openStdin takes a write end of its own as soon as the child runs, so that
// the child reads no end should its shim die.
func (r *run) openStdin() {
	if r.launch.Stdin.Mode != "open" {
		return
	}
	if _, err := os.Lstat(r.s.home.File(r.id, stdinEnded)); err == nil {
		r.releaseStdin() // the supervisor that decided so may have died before it said so
		return
	}
	p := r.pumpOf()
	// Not blocking: without a reader the open fails, and the child has closed it.
	f, err := os.OpenFile(r.s.home.File(r.id, journal.StdinFile), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if !errors.Is(err, syscall.ENXIO) {
			r.s.log.Printf("run %s: %v", r.id, err)
		}
		p.close(steerError(err))
		return
	}
	p.mu.Lock()
	p.fifo = f
	p.mu.Unlock()
	p.signal()
}

func (p *pump) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// next returns the oldest command once there is something to write it to.
func (p *pump) next() (c journal.Command, f *os.File, ok, over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != "" {
		return c, nil, false, true
	}
	if p.fifo == nil || len(p.queue) == 0 {
		return c, nil, false, false
	}
	return p.queue[0], p.fifo, true, false
}

func (p *pump) sent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backlog -= len(p.queue[0].Text)
	p.queue = p.queue[1:]
}

// close ends the pump; a write that is under way fails.
func (p *pump) close(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed == "" {
		p.closed = why
	}
	if p.fifo != nil {
		p.fifo.Close()
	}
	p.signal()
}

func (r *run) pumpLoop(p *pump) {
	for {
		c, f, ok, over := p.next()
		switch {
		case over:
			r.loseRest(p)
			return
		case !ok:
			<-p.wake
			continue
		}
		r.deliver(p, c, f)
		p.sent()
		r.ring()
		r.s.complete(c.ID)
	}
}

// deliver writes one command's text and records what became of it.
func (r *run) deliver(p *pump, c journal.Command, f *os.File) {
	n, err := f.WriteString(c.Text)
	if err != nil {
		p.close(steerError(err))
		r.event(journal.Event{Type: journal.EventSteerLost, Command: c.ID, Bytes: int64(n), Error: steerError(err)})
		return
	}
	if c.EOF {
		r.endStdin(f)
	}
	r.event(journal.Event{Type: journal.EventSteered, Command: c.ID, Bytes: int64(n)})
}

func steerError(err error) string {
	switch {
	case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ENXIO):
		return "the child closed its stdin"
	case errors.Is(err, os.ErrClosed):
		return runEnded
	}
	return err.Error()
}

// endStdin lets the child read the end: the mark first, so that nobody opens
// it again, then our end, then the shim's.
func (r *run) endStdin(f *os.File) {
	if m, err := os.OpenFile(r.s.home.File(r.id, stdinEnded), os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		m.Close()
	}
	failpoint.Hit("stdin/ended")
	f.Close()
	r.releaseStdin()
}

// releaseStdin tells the shim to let go of its end. Saying it twice is harmless.
func (r *run) releaseStdin() {
	if h := r.open(r.process.Shim.Identity); h != nil {
		h.Signal(launch.SignalEndStdin)
		h.Close()
	}
}

// loseRest says of everything still queued that it did not arrive.
func (r *run) loseRest(p *pump) {
	p.mu.Lock()
	rest, why := p.queue, p.closed
	p.queue, p.gone = nil, true
	p.mu.Unlock()
	for _, c := range rest {
		r.lose(c, why)
	}
}

func (r *run) lose(c journal.Command, why string) {
	r.event(journal.Event{Type: journal.EventSteerLost, Command: c.ID, Error: why})
	r.ring()
	r.s.complete(c.ID)
}
