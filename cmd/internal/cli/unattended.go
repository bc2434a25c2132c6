package cli

import (
	"fmt"
	"os"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
)

// Unenforced is what it means for live runs that a person sent their
// supervisor away.
const Unenforced = "limits are not enforced until the next delegate, steer, stop, wait or logs -f"

// NoteUnattended tells people who look that nobody looks after the live runs:
// a reader does not bring back a supervisor that was sent away.
func NoteUnattended(h journal.Home) error {
	if !intents(h) || !supervisor.SentAway(h) {
		return nil
	}
	free, err := Unsupervised(h)
	if err != nil || !free {
		return err
	}
	live, err := Live(h)
	if err == nil && len(live) > 0 {
		fmt.Fprintln(os.Stderr, "note: the supervisor was sent away; "+Unenforced)
	}
	return err
}
