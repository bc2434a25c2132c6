package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Event types, one line each in a run's events.jsonl. They tell the story
// with its times; they never decide anything, the records do.
const (
	EventAdmitted    = "admitted"
	EventStarted     = "started"      // the child's program runs
	EventNotStarted  = "not_started"  // and never will; Error says why
	EventStopping    = "stopping"     // an order to end; Cause
	EventSignal      = "signal"       // a step of the ladder; Signal
	EventSteered     = "steered"      // Bytes reached the child's stdin
	EventSteerLost   = "steer_lost"   // unknown how much arrived; never repeated
	EventSteerQueued = "steer_queued" // it waits for the end of the turn; Error says why
	EventInterrupted = "interrupted"  // an agent was told to end its turn
	EventAsked       = "asked"        // an agent asked Question
	EventAnswered    = "answered"     // and was answered
	EventCompacted   = "compacted"    // an agent summed up its session, as it does when that grows too long
	EventTurnEnded   = "turn_ended"   // an agent's turn; Status, Error
	EventAdopted     = "adopted"      // a new supervisor took over
	EventShimLost    = "shim_lost"    // the shim died; the supervisor does its work
	EventExited      = "exited"       // the exit record is there
	EventSettled     = "settled"      // the result is there
	EventUnproven    = "unproven"     // something is left and could not be ended yet
	EventVerifying   = "verifying"    // its work is being checked
	EventVerified    = "verified"     // one check was run: Part is its run, Status passed or failed

	// In events.jsonl of the home: somebody changed Settings in File.
	EventSettingsChanged = "settings_changed"
)

// Event is one line of events.jsonl. Those of a run are written by the
// supervisor only.
type Event struct {
	Version  int       `json:"version"`
	At       time.Time `json:"at"`
	RunID    string    `json:"runId"`
	Owner    string    `json:"owner,omitempty"`
	Type     string    `json:"type"`
	Command  string    `json:"command,omitempty"`
	Cause    string    `json:"cause,omitempty"`
	Status   string    `json:"status,omitempty"`
	Signal   string    `json:"signal,omitempty"`
	PID      int       `json:"pid,omitempty"`
	Bytes    int64     `json:"bytes,omitempty"`
	Error    string    `json:"error,omitempty"`
	Question string    `json:"question,omitempty"`
	Part     string    `json:"part,omitempty"`
	File     string    `json:"file,omitempty"`     // of settings
	Settings []string  `json:"settings,omitempty"` // the names of those that changed
}

// AppendEvent adds one line. A torn line left by a crash is closed first, so
// that it spoils only itself.
func AppendEvent(path string, e Event) error {
	e.Version = Version
	line, err := Encode(e)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	var last [1]byte
	if end, err := f.Seek(0, io.SeekEnd); err == nil && end > 0 {
		if _, err := f.ReadAt(last[:], end-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = f.Write(append(line, '\n'))
	return err
}

// ReadEvents returns the whole events from offset on and the offset behind
// the last whole line. Torn or foreign lines are passed over.
func ReadEvents(path string, offset int64) ([]Event, int64, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, offset, nil
	}
	if err != nil {
		return nil, offset, err
	}
	defer f.Close()
	body, err := io.ReadAll(io.NewSectionReader(f, offset, 1<<40))
	if err != nil {
		return nil, offset, err
	}
	end := bytes.LastIndexByte(body, '\n') + 1
	var events []Event
	for line := range bytes.Lines(body[:end]) {
		var e Event
		if Decode(line, &e) == nil && e.Type != "" {
			events = append(events, e)
		}
	}
	return events, offset + int64(end), nil
}
