package lifecycle

import (
	"encoding/json"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// Version is that of the events' shape.
const Version = 1

// Event types, in the order in which a run can have them. The last four are
// terminal: a run has one of them, and then no more.
const (
	Created   = "created"   // somebody asked for the run
	Queued    = "queued"    // it has to wait; Reason
	Started   = "started"   // its program runs
	Resumed   = "resumed"   // its program runs, and goes on with an agent's session
	Steered   = "steered"   // Command: guidance reached it
	Compacted = "compacted" // an agent summed up its session
	Verified  = "verified"  // its work was checked; Passed, Checks

	Completed = "completed"
	Failed    = "failed"
	Stopped   = "stopped"
	Blocked   = "blocked" // it was never started: something it needs did not complete

	// SettingsChanged is of no run: Settings were changed in File.
	SettingsChanged = "settings_changed"
)

// Event is one line. What is absent is not known or has no meaning here.
type Event struct {
	Version int       `json:"version"`
	Type    string    `json:"type"`
	At      time.Time `json:"at"`

	// Which run it is: RootID names the life, RunID this invocation and Index
	// its place in that life, 0 for the first.
	RootID  string `json:"rootId,omitempty"`
	RunID   string `json:"runId,omitempty"`
	Index   *int   `json:"index,omitempty"`
	Owner   string `json:"owner,omitempty"`
	Name    string `json:"name,omitempty"`
	Runtime string `json:"runtime,omitempty"`
	PlanID  string `json:"planId,omitempty"`
	Task    string `json:"task,omitempty"`
	PartOf  string `json:"partOf,omitempty"`

	Limits    *journal.Limits `json:"limits,omitempty"`    // those in effect
	Usage     *journal.Usage  `json:"usage,omitempty"`     // of this invocation, up to this event
	LifeUsage *journal.Usage  `json:"lifeUsage,omitempty"` // and of its life

	Reason  string          `json:"reason,omitempty"`
	Command string          `json:"command,omitempty"`
	Passed  *bool           `json:"passed,omitempty"`
	Checks  []journal.Check `json:"checks,omitempty"`

	// Of a terminal event. Result is the very record; absent where it cannot be
	// read, which Damaged tells.
	Cause   string           `json:"cause,omitempty"`
	Result  json.RawMessage  `json:"result,omitempty"`
	Damaged []journal.Damage `json:"damaged,omitempty"`

	File     string   `json:"file,omitempty"`
	Settings []string `json:"settings,omitempty"`
}

// Terminal reports whether e is the last event of its run.
func (e Event) Terminal() bool {
	switch e.Type {
	case Completed, Failed, Stopped, Blocked:
		return true
	}
	return false
}

// OfSettings turns an event of the home into one of ours; false where it
// is none.
func OfSettings(e journal.Event) (Event, bool) {
	return Event{Version: Version, Type: SettingsChanged, At: e.At, Owner: e.Owner, File: e.File, Settings: e.Settings},
		e.Type == journal.EventSettingsChanged
}
