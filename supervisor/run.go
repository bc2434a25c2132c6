package supervisor

import (
	"sync"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// run is one live run. Its fields belong to its goroutine, except those
// behind mu and those marked for the supervisor's loop.
type run struct {
	s        *Supervisor
	id       string
	launch   journal.Launch
	commands []string // the supervisor's loop: commands complete when the run is settled

	notes chan note
	done  chan struct{} // closed when the run is settled

	admission     *journal.Admission // to be written by the shim; nil once it is durable
	state         State
	attempts      int
	process       *journal.Process
	ours          bool // its shim was started by this supervisor
	child         *launch.Handle
	shim          *launch.Handle
	stop          *journal.Stop
	failure       string          // why it could not be started, where no exit record says so
	verdict       *journal.Result // once the end was judged
	result        *journal.Result // as it was written
	startedBefore bool            // of a task: by a supervisor before us
	plan          *plan           // nil: it is none
	checks        *checks         // what verifies it, once that has begun
	grace         *time.Timer
	graceEnds     time.Time
	patience      *time.Timer
	limits        []*time.Timer
	hurry         chan struct{} // closed: a foster kills now
	hurried       bool
	asked         bool // TERM was sent

	mu     sync.Mutex
	now    string // token of the incarnation that runs, once it does
	stdin  *pump
	talk   *talk              // with an agent, once it runs
	early  []journal.Command  // orders to an agent that does not run yet
	gone   bool               // released: nothing is taken any more
	askers []journal.Identity // who hears of news
}

// note is an event with what it brings.
type note struct {
	event      Event
	process    *journal.Process    // EvStarted, EvShimLost
	shim       *launch.ShimProcess // EvStarted by a shim of ours: it tells of the exit record
	ours       bool
	adopted    bool
	stop       *journal.Stop // EvStop
	recorded   bool          // stop.json is durable already
	graceGiven bool          // the order names its grace
	failure    string        // EvExit without an exit record, EvBlocked: why
}

// secondGrace is what is left of a grace when stop is said again.
const secondGrace = time.Second

// patience is how long the supervisor waits for the proof after KILL before
// it says what is in the way. The shim gives up a little earlier.
const patience = 12 * time.Second

// newRun makes what a run is here. command is the one that is complete when
// the run is settled; a task of a plan has none.
func (s *Supervisor) newRun(l journal.Launch, command string) *run {
	s.expect(l)
	var commands []string
	if command != "" {
		commands = []string{command}
	}
	return &run{s: s, id: l.ID, launch: l, commands: commands,
		notes: make(chan note, 16), done: make(chan struct{}), hurry: make(chan struct{})}
}

// begin starts the run. A stop that was recorded by a supervisor before us is
// still the order of the day.
func (r *run) begin() {
	// The first step is taken here and not in the run's goroutine: up to the
	// hand-over to a shim it waits for nothing.
	r.handle(note{event: EvAdmit})
	r.live()
}

// live starts the run's goroutine where it still waits for its turn.
func (r *run) live() {
	go r.loop()
	var stop journal.Stop
	if journal.Read(r.s.home.File(r.id, journal.StopFile), &stop) == nil {
		r.post(note{event: EvStop, stop: &stop, recorded: true})
	}
}

// post delivers a note, unless the run is settled.
func (r *run) post(n note) {
	select {
	case r.notes <- n:
	case <-r.done:
	}
}

func (r *run) loop() {
	for r.state != Settled {
		r.handle(<-r.notes)
	}
	r.release()
	close(r.done)
	go func() { r.s.settled <- r }()
}

// handle is one step of the table.
func (r *run) handle(n note) {
	if (n.event == EvStop || n.event == EvGiveUp && r.state == Queued) && r.stop == nil {
		r.stop = n.stop
	}
	if n.process != nil {
		r.running(n)
	}
	if n.failure != "" {
		r.failure = n.failure
	}
	if n.event == EvExit && r.toVerify() {
		n.event = EvVerify
	}
	next, actions := Step(r.state, n.event)
	for _, a := range actions {
		r.do(a, n)
	}
	r.state = next
}

func (r *run) do(a Action, n note) {
	if r.plan != nil {
		r.plan.do(a, n)
		return
	}
	switch a {
	case DoLaunch:
		if r.attempts > 0 || !r.launchNow() {
			go r.attempt(r.attempts)
		}
		r.attempts++
	case DoRecordStop:
		r.recordStop(n)
	case DoAsk:
		r.ask()
	case DoTerm:
		r.term()
	case DoLeave:
		r.leave()
	case DoArmGrace:
		r.armGrace(r.stopGrace())
	case DoHurry:
		r.shorten(n)
	case DoForce:
		r.force()
	case DoArmPatience:
		r.patience = time.AfterFunc(patience, func() { r.post(note{event: EvPatience}) })
	case DoSayUnproven:
		r.sayUnproven()
	case DoAdopt:
		r.adopt()
	case DoWithdraw:
		r.withdraw()
	case DoBlock:
		r.block(n.failure)
	case DoVerify:
		r.verify()
	case DoStopChecks:
		r.checks.stop()
	case DoSettle:
		r.settle()
	}
}

// release lets go of everything the run held in this process.
func (r *run) release() {
	for _, t := range append(r.limits, r.grace, r.patience) {
		if t != nil {
			t.Stop()
		}
	}
	if r.ours {
		r.s.orphans.Settled(r.process.Shim.Identity)
	}
	for _, h := range []*launch.Handle{r.child, r.shim} {
		if h != nil {
			h.Close()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.early {
		go r.lose(c, runEnded)
	}
	r.early, r.gone = nil, true
	if r.stdin == nil {
		r.stdin = &pump{gone: true} // for what was accepted a moment too late
	}
	r.stdin.close(runEnded)
}

// token names the running incarnation, "" before there is one.
func (r *run) token() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == "" {
		// The record may be there before the news of it: an asker who has read
		// it must not be told that it was meant for another.
		if p, err := r.readProcess(); err == nil && p != nil {
			r.now = p.Token
		}
	}
	return r.now
}

func (r *run) event(e journal.Event) {
	e.RunID, e.Owner = r.id, r.launch.Owner
	r.s.event(e)
}
