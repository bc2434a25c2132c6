package supervisor

import (
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// longTime is how long a talk sleeps that waits for no clock.
const longTime = 24 * time.Hour

// politeness bounds how long an agent that is told to stop may take to end
// its turn before it gets a signal; half of the grace at most.
const politeness = 2 * time.Second

// leastLinger is the least time an agent gets to leave after its last answer.
const leastLinger = 2 * time.Second

// wrapUpText is what an agent is told when only its reserved turns are left.
const wrapUpText = "You are about to reach the limit of turns of this task. Begin nothing new: finish what you are doing and give your final answer now."

// clock is what an agent's time and budget allow.
type clock struct {
	limits  journal.Limits
	began   time.Time // the process
	sign    time.Time // the last sign of life
	again   time.Time // something could not be done and is tried again
	ordered bool      // the end was ordered
	leave   time.Time // it has answered and was let go
	linger  bool      // that it is still there was told
	quiet   time.Time // it was told to stop: until when its turn may go on
	silent  bool      // that the turn has ended was told
}

func newClock(r *run) clock {
	now := time.Now()
	age, _ := r.age()
	c := clock{limits: r.launch.Limits, began: now.Add(-age.Awake)}
	c.sign = c.began
	if info, err := os.Stat(r.s.home.File(r.id, journal.StdoutFile)); err == nil {
		c.sign = now.Add(-quietFor(now, r.process.StartedAt, info.ModTime(), age))
	}
	return c
}

// quietFor is how long a child of that age, awake, gave no sign of life: its
// last one is a file's time of modification. That is the time of day, which
// may have been set since, and the machine may have been suspended since. What
// is not known to have passed awake does not count.
func quietFor(now, started, last time.Time, age launch.Age) time.Duration {
	quiet := now.Sub(last) - age.Asleep
	if set := now.Sub(started) - age.Awake - age.Asleep; set > 0 {
		quiet -= set
	}
	return min(max(0, quiet), age.Awake)
}

// parting reports whether the agent is on its way out.
func (c *clock) parting() bool { return !c.leave.IsZero() || !c.quiet.IsZero() || c.ordered }

func ms(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// due returns what the run is to be told now.
func (c *clock) due(t *talk, now time.Time) []note {
	s := &t.c.State
	switch {
	case !c.quiet.IsZero():
		if !c.silent && (!s.Busy() || t.deaf != "" || !now.Before(c.quiet)) {
			c.silent = true
			return []note{{event: EvSilent}}
		}
	case !c.leave.IsZero():
		if !c.linger && !s.Working && !now.Before(c.lingers()) {
			c.linger = true
			return []note{{event: EvLinger}}
		}
	case c.ordered:
	case s.Settled() && len(t.orders) == 0:
		c.leave = now
		return []note{{event: EvAnswered}}
	}
	if cause, reason := c.exceeded(s, now); cause != "" && !c.ordered && c.quiet.IsZero() {
		c.ordered = true
		stop := t.r.order(cause)
		stop.Reason = reason
		return []note{{event: EvStop, stop: stop}}
	}
	return nil
}

// exceeded names the limit that is passed, if one is.
func (c *clock) exceeded(s *agent.State, now time.Time) (cause, reason string) {
	l, v := c.limits, &s.View
	switch {
	case l.StartupMS > 0 && !s.Ready && !now.Before(c.began.Add(ms(l.StartupMS))):
		return journal.CauseTimeout, fmt.Sprintf("it was not ready within %v", ms(l.StartupMS))
	case c.idles(s) && !now.Before(c.sign.Add(ms(l.IdleMS))):
		return journal.CauseTimeout, fmt.Sprintf("it gave no sign of life for %v", ms(l.IdleMS))
	case l.MaxTurns > 0 && s.Working && (v.Turns > l.MaxTurns || v.Turns == l.MaxTurns && v.Doing != ""):
		return journal.CauseTurnLimit, fmt.Sprintf("it had its %d turns and went on", l.MaxTurns)
	case l.MaxTokens > 0 && s.Working && v.Usage.Tokens() > l.MaxTokens:
		return journal.CauseTokenLimit, fmt.Sprintf("it used %d tokens of %d", v.Usage.Tokens(), l.MaxTokens)
	case l.MaxCostUSD > 0 && s.Working && v.Usage.CostUSD != nil && *v.Usage.CostUSD > l.MaxCostUSD:
		return journal.CauseCostLimit, fmt.Sprintf("it cost %.4f USD of %.4f", *v.Usage.CostUSD, l.MaxCostUSD)
	}
	return "", ""
}

// idles reports whether the idle limit counts: not while somebody is to
// answer a question, nor when it has been let go.
func (c *clock) idles(s *agent.State) bool {
	return c.limits.IdleMS > 0 && s.Phase() != agent.PhaseAsking && (c.leave.IsZero() || s.Working)
}

func (c *clock) lingers() time.Time {
	from := c.leave
	if c.sign.After(from) {
		from = c.sign
	}
	return from.Add(max(c.limits.Grace(), leastLinger))
}

// next is how long nothing will be due if nothing happens.
func (c *clock) next(t *talk, now time.Time) time.Duration {
	s, d := &t.c.State, longTime
	at := func(when time.Time) {
		if !when.IsZero() {
			d = min(d, max(when.Sub(now), time.Millisecond))
		}
	}
	if c.again.After(now) {
		at(c.again)
	}
	if c.limits.StartupMS > 0 && !s.Ready && !c.ordered {
		at(c.began.Add(ms(c.limits.StartupMS)))
	}
	if c.idles(s) && !c.ordered {
		at(c.sign.Add(ms(c.limits.IdleMS)))
	}
	if !c.leave.IsZero() && !c.linger && !s.Working {
		at(c.lingers())
	}
	if !c.quiet.IsZero() && !c.silent {
		at(c.quiet)
	}
	if t.view.dirty {
		at(t.view.shown.Add(viewPause))
	}
	return d
}

// wrapUp asks for the final answer when only the reserved turns are left.
func (t *talk) wrapUp(now time.Time) error {
	l, s := t.clock.limits, &t.c.State
	if l.ReservedTurns <= 0 || l.MaxTurns <= l.ReservedTurns || !s.Working || s.View.Turns < l.MaxTurns-l.ReservedTurns || t.clock.parting() || t.c.WasSaid("wrapup:") {
		return nil
	}
	messages, err := t.c.Talk.Steer("wrapup:", wrapUpText)
	if err != nil {
		return nil // it cannot be told; the limit itself will
	}
	return t.c.Say(now, messages...)
}
