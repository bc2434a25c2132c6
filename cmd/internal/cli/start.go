package cli

import (
	"context"
	"slices"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
)

// AwaitStart returns when the child's program runs, or never will. Events of
// what else happened to the run say neither: its verdict may still be on its
// way.
func AwaitStart(ctx context.Context, h journal.Home, id string) error {
	return supervisor.Await(ctx, h, func() (bool, error) {
		if Settled(h, id) {
			return true, nil
		}
		events, _, err := journal.ReadEvents(h.File(id, journal.EventsFile), 0)
		return slices.ContainsFunc(events, func(e journal.Event) bool {
			return e.Type == journal.EventStarted || e.Type == journal.EventAdopted
		}), err
	})
}
