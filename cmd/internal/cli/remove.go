package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/journal/completion"
	"github.com/agent-runs/agent-runs/launch"
)

// trashPrefix starts the name of a run's directory that is being deleted. No
// reader takes it for a run, and whoever removes something next sweeps it.
const trashPrefix = ".trash-"

// Remove deletes a run of which v is the view: a run that is over, whose
// result is recorded, and of which nothing is alive. force gives up one that
// is in doubt. It is gone for everybody at once, when its directory is
// renamed; sync with SyncRemovals.
func Remove(h journal.Home, v View, force bool) error {
	if err := removable(v, force); err != nil {
		return err
	}
	if err := wanted(h, v); err != nil {
		return err
	}
	// The lock says that no shim is at work on it, whatever the records say.
	lock, err := lockOf(h, v)
	if errors.Is(err, launch.ErrLocked) {
		return Fail(Refused, "run %s is not removed: its shim is still at work", v.ID)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return noSuchRun(v.ID) // somebody was faster
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := settle(h, v); err != nil {
		return err
	}
	// The run command first: left behind, it would ask for a run that is not there.
	if err := ipc.Done(h, v.ID); err != nil {
		return err
	}
	if err := os.Rename(h.Run(v.ID), trash(h, v.ID)); err != nil {
		return err
	}
	// What is left of the rest, should we be killed here, whoever finds it clears away.
	if err := completion.Forget(h, v.Owner, v.ID); err != nil {
		return err
	}
	if err := os.Remove(h.Admission(v.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(trash(h, v.ID))
}

// wanted refuses to remove what belongs to something that is not over, or that
// another plan has taken over.
func wanted(h journal.Home, v View) error {
	if plan, err := PlanOf(h, v); err != nil {
		return err
	} else if plan != "" {
		return Fail(Refused, "run %s is not removed: it is a task of plan %s, which is not over", v.ID, plan).WithTry("agent-runs stop %s", plan)
	}
	if whole, err := WholeOf(h, v); err != nil {
		return err
	} else if whole != "" {
		return Fail(Refused, "run %s is not removed: it is a part of run %s, which is not over", v.ID, whole).WithTry("agent-runs stop %s", whole)
	}
	if plan := TakenBy(h, v); plan != "" {
		return StillTaken(v, plan)
	}
	return nil
}

// StillTaken refuses to remove what plan has taken over.
func StillTaken(v View, plan string) error {
	what := "it is a task that plan %s has taken over"
	if v.Plan != nil {
		what = "plan %s has taken tasks of it over"
	}
	return Fail(Refused, "run %s is not removed: "+what, v.ID, plan).WithTry("agent-runs rm %s first", plan)
}

// leaving is how long a shim may take to let go of a run whose end is told
// already: the exit record is still being synced then.
const leaving = 5 * time.Second

func lockOf(h journal.Home, v View) (*os.File, error) {
	lock, err := launch.TryLock(h.File(v.ID, journal.LockFile))
	if errors.Is(err, launch.ErrLocked) && v.Result != nil {
		lock, err = launch.AwaitLockFor(h.File(v.ID, journal.LockFile), leaving)
	}
	return lock, err
}

func trash(h journal.Home, id string) string { return filepath.Join(h.Runs(), trashPrefix+id) }

func removable(v View, force bool) error {
	if v.Phase != journal.PhaseTerminal {
		return Fail(Refused, "run %s is not removed: it is %s", v.ID, v.Status).WithTry("agent-runs stop %s", v.ID)
	}
	if doubt := v.Doubt(); doubt != "" && !force {
		return Fail(Unproven, "run %s is not removed, for its end is unproven: %s", v.ID, doubt).WithTry("agent-runs inspect %s, or agent-runs rm --force %s to give it up", v.ID, v.ID)
	}
	return nil
}

// settle records the result of a run that was never commanded, so that
// nothing is ever removed without one.
func settle(h journal.Home, v View) error {
	if v.Result == nil && len(v.Damaged) == 0 {
		err := journal.WriteOnce(h.File(v.ID, journal.ResultFile), journal.Result{Version: journal.Version, ID: v.ID, Owner: v.Owner,
			Status: v.Status, Cause: v.Cause, Error: "it was never commanded to start", EndedAt: time.Now().UTC()})
		if err != nil && !errors.Is(err, journal.ErrExists) {
			return err
		}
	}
	if v.Launch != nil && v.Launch.EnvFile != "" && strings.Contains(filepath.Base(v.Launch.EnvFile), v.ID) {
		if err := os.Remove(v.Launch.EnvFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// SyncRemovals makes removals durable.
func SyncRemovals(h journal.Home) error {
	return errors.Join(journal.SyncDir(h.Runs()), journal.SyncDir(h.Admissions()), journal.SyncDir(h.Commands()))
}
