package supervisor

import (
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/runtimes"
	"github.com/agent-runs/agent-runs/supervisor/conversation"
)

// talk is the supervisor's side of one agent's conversation: it wakes when the
// agent says something, when an order comes and when a clock runs out, and
// then does what is due. All it knows is in files: a new supervisor opens the
// conversation and goes on.
type talk struct {
	r    *run
	over chan struct{} // closed: the run is being settled
	done chan struct{} // closed: the loop has ended
	wake chan struct{}
	feed chan struct{} // there is something to move to the agent

	mu     sync.Mutex
	c      *conversation.Conversation // nil while it is being opened
	stdin  *os.File                   // nil where the agent has none any more
	orders []journal.Command          // accepted and not said yet
	told   map[string]bool            // commands whose fate is in the events
	sums   int                        // compactions in the events that the fold has not come to yet
	later  map[string]bool            // commands that wait for the turn's end
	clock  clock
	view   view
	live   bool // the past has been folded
	eof    bool // stdin is to end once all is moved
	ended  bool // the run is being settled: nothing can be said any more
	deaf   string
}

// converse begins the talk with an agent that runs.
func (r *run) converse() {
	t := &talk{r: r, over: make(chan struct{}), done: make(chan struct{}), wake: make(chan struct{}, 1), feed: make(chan struct{}, 1)}
	r.mu.Lock()
	t.orders, r.early = r.early, nil
	r.talk = t
	r.mu.Unlock()
	go t.loop()
}

func (r *run) talking() *talk {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.talk
}

func (r *run) runtime() agent.Runtime { return runtimes.Of(r.launch.Program.Runtime) }

func (t *talk) loop() {
	defer close(t.done)
	path := t.r.s.home.File(t.r.id, journal.StdoutFile)
	grown := t.r.s.tails.add(path, t.r.s.log)
	defer t.r.s.tails.drop(path)
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := t.open()
		if err == nil {
			break
		}
		t.r.s.log.Printf("run %s: its conversation cannot be opened: %v", t.r.id, err)
		select {
		case <-time.After(pause):
		case <-t.over:
			return
		}
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next := t.step(time.Now())
		timer.Reset(next)
		select {
		case <-grown:
		case <-t.wake:
		case <-timer.C:
		case <-t.over:
			return
		}
	}
}

// open folds the past and takes the agent's stdin.
func (t *talk) open() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var err error
	if t.told, t.later, t.sums, err = t.r.fates(); err != nil {
		return err
	}
	t.clock = newClock(t.r)
	c, err := conversation.Open(t.r.s.home, t.r.launch, t.heard)
	if err != nil {
		return err
	}
	if err := t.takeStdin(c); err != nil {
		c.Close()
		return err
	}
	t.c, t.live = c, true
	return nil
}

// takeStdin opens the way to the agent and starts the pump.
func (t *talk) takeStdin(c *conversation.Conversation) error {
	home := t.r.s.home
	if _, err := os.Lstat(home.File(t.r.id, stdinEnded)); err == nil {
		t.r.releaseStdin() // the supervisor that decided so may have died before it said so
		return nil
	}
	feed, err := launch.OpenFeed(home.File(t.r.id, journal.SaidLogFile), t.r.shim)
	if err != nil {
		return err
	}
	if !feed.Shared {
		// Nobody can say how much was moved: what was said counts as moved,
		// for nothing may be said twice.
		if err := feed.Skip(c.End()); err != nil {
			feed.Close()
			return err
		}
	}
	f, err := os.OpenFile(home.File(t.r.id, journal.StdinFile), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		feed.Close()
		t.deaf = steerError(err)
		return nil
	}
	t.stdin = f
	go t.pump(feed, f)
	return nil
}

// pump moves what is said to the agent, as fast as it reads.
func (t *talk) pump(feed *launch.Feed, f *os.File) {
	defer feed.Close()
	for {
		t.mu.Lock()
		end, eof := int64(0), t.eof
		if t.c != nil {
			end = t.c.End()
		}
		t.mu.Unlock()
		if err := feed.Move(f, end); err != nil {
			t.mu.Lock()
			t.deaf = steerError(err)
			t.mu.Unlock()
			poke(t.wake)
			return
		}
		failpoint.Hit("said/moved")
		if eof {
			t.r.endStdin(f)
			return
		}
		select {
		case <-t.feed:
		case <-t.over:
			return
		}
	}
}

// step does what is due, and returns when to look again.
func (t *talk) step(now time.Time) time.Duration {
	var news []note
	t.mu.Lock()
	before := t.c.End()
	if err := t.c.CatchUp(); err != nil {
		t.r.s.log.Printf("run %s: %v", t.r.id, err)
	}
	err := t.c.Say(now, t.c.Due()...)
	var complete []string
	if err == nil {
		complete, err = t.sayOrders(now)
	}
	if err != nil {
		t.r.s.log.Printf("run %s: it cannot be told now: %v", t.r.id, err)
		t.clock.again = now.Add(time.Second)
	}
	news = t.clock.due(t, now)
	if err := t.wrapUp(now); err != nil {
		t.clock.again = now.Add(time.Second)
	}
	t.show(now)
	if t.c.End() != before {
		poke(t.feed)
	}
	next := t.clock.next(t, now)
	t.mu.Unlock()
	// Said without the lock: those who read it may be waiting for it.
	for _, n := range news {
		t.post(n)
	}
	for _, id := range complete {
		t.r.ring()
		t.r.s.complete(id)
	}
	return next
}

// post delivers a note, unless the run is being settled.
func (t *talk) post(n note) {
	select {
	case t.r.notes <- n:
	case <-t.over:
	case <-t.r.done:
	}
}

// heard is told each event of the agent, also those of the past.
func (t *talk) heard(e agent.Event) {
	if t.live {
		t.view.dirty = true
		if e.Type != agent.Retrying && e.Type != agent.Notice {
			t.clock.sign = time.Now()
		}
	}
	switch e.Type {
	case agent.Taken:
		t.fate(e.Key, journal.Event{Type: journal.EventSteered})
	case agent.Refused:
		t.fate(e.Key, journal.Event{Type: journal.EventSteerLost, Error: e.Error})
	case agent.Asked:
		if t.live {
			t.view.urgent = true
			t.r.event(journal.Event{Type: journal.EventAsked, Question: e.Question.ID})
		}
	case agent.Compacted:
		// Told once, whichever supervisor heard of it: those of the past are counted.
		if t.sums--; t.sums < 0 {
			t.r.event(journal.Event{Type: journal.EventCompacted})
		}
	case agent.TurnEnded:
		if t.live {
			t.view.urgent = true
			t.r.event(journal.Event{Type: journal.EventTurnEnded, Status: string(e.Outcome), Error: e.Error})
		}
	}
}

// fate writes down what became of an order, once.
func (t *talk) fate(key string, e journal.Event) {
	if !journal.ValidID(key) || t.told[key] {
		return
	}
	t.told[key] = true
	e.Command = key
	t.r.event(e)
	t.r.ring()
}

// end stops the loop and returns the conversation with all that was heard, or
// nil where there was none.
func (t *talk) end() *conversation.Conversation {
	close(t.over)
	<-t.done
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stdin != nil {
		t.stdin.Close()
	}
	t.ended = true
	for _, c := range t.orders {
		t.lose(c, runEnded)
		go t.r.s.complete(c.ID)
	}
	t.orders = nil
	if t.c == nil {
		return nil
	}
	if err := t.c.CatchUp(); err != nil {
		t.r.s.log.Printf("run %s: %v", t.r.id, err)
	}
	return t.c
}
