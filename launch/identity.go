package launch

import (
	"errors"

	"github.com/agent-runs/agent-runs/journal"
)

// ErrGone reports that the process of an identity does not exist any more.
// A zombie is gone: it runs nothing and only waits to be read.
var ErrGone = errors.New("process is gone")

// Alive reports whether the very process that id names still runs. An error
// means that it could not be told.
func Alive(id journal.Identity) (bool, error) {
	now, err := IdentityOf(id.PID)
	switch {
	case errors.Is(err, ErrGone):
		return false, nil
	case err != nil:
		return false, err
	}
	return now == id, nil
}
