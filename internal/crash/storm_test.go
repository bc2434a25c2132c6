//go:build linux

package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// stormLasts is how long it blows; AGENT_RUNS_STORM makes it longer for those
// who look for something.
const stormLasts = 4 * time.Second

// TestStorm lets everything happen at once: runs are started, steered and
// stopped, supervisors, shims, children and command lines are killed, in any
// order and without waiting for anything. The matrix knows where it kills;
// this knows what happens when a second blow falls on what recovers from the
// first.
func TestStorm(t *testing.T) {
	for _, tree := range []string{"auto", "subreaper"} {
		t.Run(tree, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			s := &storm{place: newPlace(t, "AGENT_RUNS_TREE="+tree), rand: rand.New(rand.NewPCG(seed, 0))}
			s.blow()
			s.calm()
			s.judge()
			s.judgeCompletions()
		})
	}
}

type storm struct {
	*place
	rand  *rand.Rand
	words int
}

func (s *storm) blow() {
	lasts := stormLasts
	if d, err := time.ParseDuration(os.Getenv("AGENT_RUNS_STORM")); err == nil {
		lasts = d
	}
	blows := []struct {
		weight int
		do     func()
	}{
		{8, s.work}, {6, s.read}, {8, s.steer}, {5, s.stopOne},
		{4, s.killSupervisor}, {4, s.killShim}, {3, s.killChild}, {3, s.killCaller}, {1, func() { s.leave() }},
	}
	for end := time.Now().Add(lasts); time.Now().Before(end); {
		n := s.rand.IntN(42)
		for _, b := range blows {
			if n -= b.weight; n < 0 {
				b.do()
				break
			}
		}
		s.note()
		time.Sleep(time.Duration(s.rand.IntN(15)) * time.Millisecond) // the pace of the storm, not a wait for anything
	}
}

func (s *storm) work() {
	s.delegate([]string{"--grace", "100ms"}, s.child("work", fmt.Sprint(s.rand.IntN(100)))...)
}

func (s *storm) read() {
	s.delegate([]string{"--stdin", "open", "--grace", "100ms"}, s.child("read")...)
}

// one picks a run that is not over.
func (s *storm) one() (string, bool) {
	live := slices.DeleteFunc(s.runIDs(), s.done)
	if len(live) == 0 {
		return "", false
	}
	return live[s.rand.IntN(len(live))], true
}

func (s *storm) steer() {
	if id, ok := s.one(); ok {
		s.words++
		word := fmt.Sprintf("word %d.", s.words)
		s.truth.Steers = append(s.truth.Steers, word)
		s.runs("steer", id, word)
	}
}

func (s *storm) stopOne() {
	if id, ok := s.one(); ok {
		s.stop(id)
	}
}

func (s *storm) killSupervisor() { s.kill(s.withRole("supervisor")) }

// killShim kills one shim, and with it the certainty about its run: the one
// that it recorded, or else those of which nothing is recorded yet.
func (s *storm) killShim() {
	shims := s.withRole("shim")
	if len(shims) == 0 {
		return
	}
	victim := shims[s.rand.IntN(len(shims))]
	for _, id := range s.runIDs() {
		var r journal.Process
		err := journal.Read(s.home.File(id, journal.ProcessFile), &r)
		if err != nil || r.Shim.PID == victim.pid && r.Shim.Identity.StartTicks == victim.ticks {
			s.truth.ShimKilled[id] = true
		}
	}
	s.kill([]proc{victim})
}

func (s *storm) killChild() {
	if id, ok := s.one(); ok {
		if q, alive := s.liveChild(id); alive {
			s.truth.ChildKilled[id] = true
			s.kill([]proc{q})
		}
	}
}

func (s *storm) killCaller() {
	if i := slices.IndexFunc(s.calls, (*call).running); i >= 0 {
		s.calls[i].cmd.Process.Kill()
	}
}

// ended waits for a command line, and tells of one that took long.
func (s *storm) ended(c *call) {
	if code := c.wait(); c.took > 3*time.Second {
		s.t.Logf("%v took %v: exit code %d: %s", c.cmd.Args, c.took.Round(time.Millisecond), code, c.err.String())
	}
}

// calm lets everything come to its end: what nobody stopped is stopped now.
func (s *storm) calm() {
	for _, c := range s.calls {
		s.ended(c)
		c.id()
	}
	s.ordinary()
	for _, id := range s.runIDs() {
		if !s.done(id) && there(s.home.Command(id)) {
			s.ended(s.stop(id))
		}
	}
	s.t.Logf("%d runs, %d command lines, %d words", len(s.runIDs()), len(s.calls), s.words)
}
