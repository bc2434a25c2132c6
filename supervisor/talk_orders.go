package supervisor

import (
	"errors"
	"fmt"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
)

// goneIdle is the answer to guidance that came too late.
const goneIdle = "the agent has gone idle: what is said now begins a new turn"

// admitOrder says whether an order to an agent can be accepted: the state of
// its admission, and the reason where it cannot.
func (r *run) admitOrder(c journal.Command) (state, reason string) {
	t := r.talking()
	if t == nil {
		if c.Action == journal.ActionAnswer || c.Action == journal.ActionInterrupt {
			return journal.Stale, "the agent has not started yet"
		}
		return journal.Accepted, ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.ended:
		return journal.Stale, runEnded
	case t.deaf != "":
		return journal.Stale, t.deaf
	}
	if t.c == nil {
		return journal.Accepted, "" // it is being opened; it is decided then
	}
	if err := t.c.CatchUp(); err != nil {
		r.s.log.Printf("run %s: %v", r.id, err)
	}
	return t.admit(c)
}

func (t *talk) admit(c journal.Command) (state, reason string) {
	s := &t.c.State
	switch c.Action {
	case journal.ActionSteer:
		if s.Settled() || s.Held || t.clock.parting() {
			return journal.Stale, goneIdle
		}
	case journal.ActionPrompt:
		if s.Settled() || t.clock.parting() {
			return journal.Stale, "the agent has answered and is leaving: it can be continued when it has ended"
		}
	case journal.ActionInterrupt:
		if p := s.Phase(); p != agent.PhaseWorking && p != agent.PhaseAsking || !s.Ready {
			return journal.Stale, "no turn is running"
		}
	case journal.ActionAnswer:
		q := s.Question(c.Question)
		switch {
		case q == nil:
			return journal.Rejected, fmt.Sprintf("the run has not asked %q", c.Question)
		case q.Answer != "" && q.Answer != c.Text:
			return journal.Stale, fmt.Sprintf("it was answered already: %s", q.Answer)
		}
	}
	return journal.Accepted, ""
}

// takeOrder takes an accepted order.
func (r *run) takeOrder(c journal.Command) {
	r.mu.Lock()
	t := r.talk
	if t == nil && r.gone { // accepted a moment too late
		r.mu.Unlock()
		go r.lose(c, runEnded)
		return
	}
	if t == nil {
		r.early = append(r.early, c)
		r.mu.Unlock()
		return
	}
	r.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended { // accepted a moment too late
		t.lose(c, runEnded)
		go r.s.complete(c.ID)
		return
	}
	t.orders = append(t.orders, c)
	poke(t.wake)
}

// sayOrders says what can be said now and returns the commands that are
// complete: from then on the list of what was said keeps them.
func (t *talk) sayOrders(now time.Time) (complete []string, err error) {
	left := t.orders[:0]
	for i, c := range t.orders {
		done, err := t.sayOrder(c, now)
		if err != nil {
			t.orders = append(left, t.orders[i:]...)
			return complete, err
		}
		if done {
			complete = append(complete, c.ID)
		} else {
			left = append(left, c)
		}
	}
	t.orders = left
	return complete, nil
}

func (t *talk) sayOrder(c journal.Command, now time.Time) (done bool, err error) {
	if t.c.WasSaid(c.ID) {
		return true, nil
	}
	if t.deaf != "" {
		t.lose(c, t.deaf)
		return true, nil
	}
	s := &t.c.State
	if (c.Action == journal.ActionSteer || c.Action == journal.ActionPrompt) && !t.clock.parting() && !t.hasBegun() {
		return false, nil // its own prompt comes first
	}
	if s.Working && (t.later[c.ID] || s.Held && c.Action == journal.ActionPrompt) {
		return false, nil // Held: the turn is about to end, and guidance into it would end with it
	}
	if state, reason := t.admit(c); state != journal.Accepted && !t.later[c.ID] {
		t.lose(c, reason)
		return true, nil
	}
	messages, event, err := t.encode(c)
	if later := (agent.Later{}); errors.As(err, &later) {
		t.later[c.ID] = true
		t.r.event(journal.Event{Type: journal.EventSteerQueued, Command: c.ID, Error: later.Why})
		t.r.ring()
		return false, nil
	}
	if err != nil {
		t.lose(c, err.Error())
		return true, nil
	}
	if err := t.c.Say(now, messages...); err != nil {
		return false, err
	}
	if event != "" {
		t.fate(c.ID, journal.Event{Type: event, Question: c.Question})
	}
	if c.Action == journal.ActionAnswer && len(messages) == 0 {
		s.Answered(c.Question, c.Text, c.ID)
	}
	t.view.dirty, t.view.urgent = true, true
	return true, nil
}

// hasBegun reports whether the agent has taken the run's own prompt.
func (t *talk) hasBegun() bool {
	s := &t.c.State
	return s.Ready && (s.Working || s.Ended != nil)
}

// encode turns an order into what is said. event tells that it was said,
// where nothing that the agent says will.
func (t *talk) encode(c journal.Command) (m []agent.Message, event string, err error) {
	talk, s := t.c.Talk, &t.c.State
	switch c.Action {
	case journal.ActionSteer, journal.ActionPrompt:
		if s.Working || len(s.Pending) > 0 {
			m, err = talk.Steer(c.ID, c.Text)
		} else {
			m, err = talk.Prompt(c.ID, c.Text)
		}
	case journal.ActionInterrupt:
		m, err = talk.Interrupt(c.ID)
		event = journal.EventInterrupted
	case journal.ActionAnswer:
		event = journal.EventAnswered
		q := s.Question(c.Question)
		if q.Answer != "" {
			return nil, event, nil // the same answer once more
		}
		m, err = talk.Answer(c.ID, *q, c.Text)
	}
	return m, event, err
}

// lose says that an order did not reach the agent and never will.
func (t *talk) lose(c journal.Command, why string) {
	t.fate(c.ID, journal.Event{Type: journal.EventSteerLost, Error: why})
}

// fates reads from the run's story which orders' fate is told already.
// later are the orders that wait for the end of a turn, sums how many
// compactions are told.
func (r *run) fates() (told, later map[string]bool, sums int, err error) {
	events, _, err := journal.ReadEvents(r.s.home.File(r.id, journal.EventsFile), 0)
	told, later = map[string]bool{}, map[string]bool{}
	for _, e := range events {
		switch e.Type {
		case journal.EventCompacted:
			sums++
		case journal.EventSteerQueued:
			later[e.Command] = true
		case journal.EventSteered, journal.EventSteerLost, journal.EventInterrupted, journal.EventAnswered:
			told[e.Command] = true
		}
	}
	return told, later, sums, err
}
