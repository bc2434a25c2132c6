package launch

import (
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// clearing ends what is left of a tree after its child: TERM to everything,
// and when the grace is over KILL again and again, until the kernel says that
// nothing is left.
type clearing struct {
	list    func() []stat          // live members, a snapshot
	killAll func()                 // one step for all, where there is one; may be nil
	empty   func() bool            // the kernel's word
	changed func() <-chan struct{} // fires when something ended: look again
	hurry   <-chan struct{}        // closed: no more grace
}

// killPatience is how long KILL may need before the tree is called unproven:
// a process in an uninterruptible sleep dies only when that ends.
const killPatience = 10 * time.Second

type memberKey struct {
	pid   int
	start uint64
}

// run returns what it found and whether the tree was seen empty.
func (c clearing) run(grace time.Duration) (left []journal.Leftover, proven bool) {
	if c.empty() {
		return nil, true
	}
	seen := map[memberKey]bool{}
	note := func(st stat) (fresh bool) {
		key := memberKey{st.pid, st.start}
		if seen[key] {
			return false
		}
		seen[key] = true
		if len(left) < maxLeftovers {
			left = append(left, journal.Leftover{PID: st.pid, StartTicks: st.start, Name: st.name})
		}
		return true
	}
	if c.terminate(grace, note) || c.kill(note) {
		for i := range left {
			left[i].Cleared = true
		}
		return left, true
	}
	alive := map[memberKey]bool{}
	for _, st := range c.list() {
		alive[memberKey{st.pid, st.start}] = true
		note(st)
	}
	for i := range left {
		left[i].Cleared = !alive[memberKey{left[i].PID, left[i].StartTicks}]
	}
	return left, false
}

// maxLeftovers bounds the record; a fork bomb leaves thousands.
const maxLeftovers = 256

// askAgain spaces the sweeps of TERM while each finds somebody new. Who forks
// for ever is not outrun by asking; that is what KILL is for.
const askAgain = 5 * time.Millisecond

// terminate asks every member once and reports whether all went in time.
func (c clearing) terminate(grace time.Duration, note func(stat) bool) bool {
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	for {
		changed := c.changed() // before the look: what ends after it is told
		asked := false
		for _, st := range c.list() {
			if note(st) {
				st.signal(unix.SIGTERM)
				st.signal(unix.SIGCONT)
				asked = true
			}
		}
		if c.empty() {
			return true
		}
		var again <-chan time.Time
		if asked {
			again = time.After(askAgain) // what was forked meanwhile is asked as well
		}
		select {
		case <-changed:
		case <-again:
		case <-c.hurry:
			return false
		case <-deadline.C:
			return false
		}
	}
}

// kill ends every member and reports whether the tree was seen empty.
func (c clearing) kill(note func(stat) bool) bool {
	deadline := time.Now().Add(killPatience)
	killed := map[memberKey]bool{}
	for pause := time.Duration(0); time.Now().Before(deadline); {
		if c.killAll != nil {
			c.killAll()
		}
		changed := c.changed()
		hit := false
		for _, st := range c.list() {
			note(st)
			if key := (memberKey{st.pid, st.start}); !killed[key] && st.signal(unix.SIGKILL) == nil {
				killed[key], hit = true, true
			}
		}
		if c.empty() {
			return true
		}
		if hit {
			pause = 0
			continue // no rest while there is something to hit: it may be forking
		}
		// All that is left was killed and is about to end. It is not asked for
		// a signal of its end, because a member of a cgroup need not be ours to
		// wait for.
		pause = min(pause+time.Millisecond, 50*time.Millisecond)
		select {
		case <-changed:
		case <-time.After(pause):
		}
	}
	return c.empty()
}

// lookAgain stands in for the news of an end where others get it.
func lookAgain() <-chan struct{} {
	c := make(chan struct{})
	time.AfterFunc(20*time.Millisecond, func() { close(c) })
	return c
}

// quiet stands in for the kernel's word where it has none for the whole: two
// sweeps in a row find nothing.
func quiet(list func() []stat) bool {
	for range 2 {
		if len(list()) > 0 {
			return false
		}
	}
	return true
}
