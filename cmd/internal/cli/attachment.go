package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// attaching is how long somebody else may hold an owner's lock: what is done
// under it takes a few waits for the disk.
const attaching = 10 * time.Second

// LockOwner takes the lock under which an owner's attachment changes and
// completions are acknowledged.
func LockOwner(h journal.Home, owner string) (*os.File, error) {
	if err := os.MkdirAll(h.Owner(owner), 0o700); err != nil {
		return nil, err
	}
	lock, err := launch.AwaitLockFor(h.AttachmentLock(owner), attaching)
	if errors.Is(err, launch.ErrLocked) {
		return nil, Fail(RunFailed, "the attachment of %q is being changed by another command, for more than %v", owner, attaching)
	}
	return lock, err
}

// AttachmentOf returns who is attached, generation 0 where nobody ever was.
func AttachmentOf(h journal.Home, owner string) (journal.Attachment, error) {
	var a journal.Attachment
	err := journal.Read(h.Attachment(owner), &a)
	if errors.Is(err, journal.ErrMissing) {
		return journal.Attachment{Owner: owner}, nil
	}
	return a, err
}

// Fence lets through those who act under the newest attachment of an owner.
type Fence struct {
	home       journal.Home
	owner      string
	generation int64
	given      bool // somebody named it, and it was not taken as found
}

// GenerationVariable names the attachment under which a parent's commands act.
const GenerationVariable = "AGENT_RUNS_GENERATION"

// NewFence takes the generation that is given, else that of the variable, else
// the one of now. The variable belongs to the environment's owner: for one who
// was named (named) it means nothing.
func NewFence(h journal.Home, owner string, named bool, given *int64) (Fence, error) {
	f := Fence{home: h, owner: owner, given: true}
	variable := os.Getenv(GenerationVariable)
	switch {
	case given != nil:
		f.generation = *given
	case variable != "" && !named:
		n, err := strconv.ParseInt(variable, 10, 64)
		if err != nil {
			return f, Fail(Usage, "%s %q is no generation: a whole number is, as attach prints it", GenerationVariable, variable)
		}
		f.generation = n
	default:
		a, err := AttachmentOf(h, owner)
		if err != nil {
			return f, err
		}
		f.generation, f.given = a.Generation, false
	}
	return f, f.Check()
}

// Generation is the one that the fence lets through.
func (f Fence) Generation() int64 { return f.generation }

// Check refuses a generation that is not the newest any more.
func (f Fence) Check() error {
	a, err := AttachmentOf(f.home, f.owner)
	switch {
	case err != nil:
		return err
	case a.Generation > f.generation:
		return Fail(Refused, "generation %d of %q is stale: generation %d attached at %s%s", f.generation, f.owner, a.Generation, a.At.Format(time.RFC3339), by(a))
	case a.Generation < f.generation:
		return Fail(Refused, "generation %d of %q was never given; the newest is %d", f.generation, f.owner, a.Generation)
	case f.given && !a.Attached && a.Generation > 0:
		return Fail(Refused, "generation %d of %q detached at %s", f.generation, f.owner, a.At.Format(time.RFC3339))
	}
	return nil
}

func by(a journal.Attachment) string {
	if a.PID == 0 {
		return ""
	}
	return fmt.Sprintf(", by pid %d", a.PID)
}
