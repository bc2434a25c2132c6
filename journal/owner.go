package journal

import "time"

// Attachment is owners/OWNER/attachment.json: which parent takes the owner's
// completions now. Replaced by each parent that attaches, under the lock on
// attachment.lock. A smaller generation is fenced: what it asks is refused.
// Absent: nobody ever attached.
type Attachment struct {
	Version    int       `json:"version"`
	Owner      string    `json:"owner"`
	PID        int       `json:"pid"`
	Identity   *Identity `json:"identity,omitempty"` // nil: the parent could not be looked at
	Generation int64     `json:"generation"`
	Attached   bool      `json:"attached"` // false: it has detached
	At         time.Time `json:"at"`
}

// Acknowledged is acknowledged.json in a run's directory: its owner has taken
// note of its completion, which is never shown again. Written once by the
// owner's client.
type Acknowledged struct {
	Version    int       `json:"version"`
	ID         string    `json:"id"`
	Owner      string    `json:"owner"`
	Generation int64     `json:"generation,omitempty"`
	At         time.Time `json:"at"`
}
