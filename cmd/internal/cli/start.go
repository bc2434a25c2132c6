package cli

import (
	"context"
	"slices"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
)

// Began says in a word that the run has started, or what it waits for.
func Began(h journal.Home, id string) string {
	v, err := Brief(h, id)
	switch {
	case err != nil || v.Phase != journal.PhaseQueued:
		return "started"
	case v.Waiting == "":
		return "queued"
	default:
		return "queued: " + v.Waiting
	}
}

// AwaitStart returns when the child's program runs, or never will, or has to
// wait for its turn; a plan, when it is admitted. Events of what else happened
// to the run say neither: its verdict may still be on its way.
func AwaitStart(ctx context.Context, h journal.Home, l *journal.Launch) error {
	id, isPlan := l.ID, l.Plan != nil
	return supervisor.Await(ctx, h, func() (bool, error) {
		if Settled(h, id) {
			return true, nil
		}
		if a, err := ipc.Admission(h, id); err == nil && (a.Queued || isPlan) {
			return true, nil
		}
		events, _, err := journal.ReadEvents(h.File(id, journal.EventsFile), 0)
		return slices.ContainsFunc(events, func(e journal.Event) bool {
			return e.Type == journal.EventStarted || e.Type == journal.EventAdopted
		}), err
	})
}
