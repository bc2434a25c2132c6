package supervisor

import (
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/journal/completion"
)

// expect marks a run that will owe its owner a completion. What is a part of
// another run owes none.
func (s *Supervisor) expect(l journal.Launch) {
	if l.PartOf != "" || l.Owner == "" {
		return
	}
	if err := completion.Expect(s.home, l.Owner, l.ID); err != nil {
		s.log.Printf("run %s: its completion: %v", l.ID, err) // deliver tries again
	}
}

// deliver tells the owner that the run's result is durable.
func (s *Supervisor) deliver(l journal.Launch) {
	if l.PartOf != "" || l.Owner == "" {
		return
	}
	if err := completion.Deliver(s.home, l.Owner, l.ID); err != nil {
		s.log.Printf("run %s: its completion: %v", l.ID, err)
	}
}

// delivered repeats deliver for a run that was over when it was taken up: who
// wrote its result may have died right after it.
func (s *Supervisor) delivered(r journal.Records) {
	l := launchOf(r, "")
	if r.Result != nil {
		l.Owner = r.Result.Owner
	}
	if r.Terminal() {
		s.deliver(l)
	}
}
