package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// ErrInsideRun reports that a supervisor would have to be started from inside
// a run's tree, where it would be cleared away with the run.
var ErrInsideRun = errors.New("no supervisor is running, and one cannot be started from inside a run")

// Ensure returns when a supervisor holds the home, starting one if need be.
func Ensure(h journal.Home) error {
	lock, err := launch.TryLock(h.SupervisorLock())
	if errors.Is(err, launch.ErrLocked) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("supervisor: %w", err)
	}
	defer lock.Close()
	return start(h, lock)
}

func start(h journal.Home, lock *os.File) error {
	if os.Getenv("AGENT_RUNS_RUN_ID") != "" {
		return ErrInsideRun
	}
	return launch.SpawnSupervisor(h, lock, false)
}

// wonder is how long an answer may take before the asker looks whether a
// supervisor is still there.
const wonder = 20 * time.Millisecond

// Await returns when done reports true, while somebody supervises the home:
// should the supervisor die or have been about to leave, another is started.
// The caller has posted a command that names it as asker; done is asked again
// whenever the supervisor has news of it.
func Await(ctx context.Context, h journal.Home, done func() (bool, error)) error {
	return attended(ctx, h, func(ctx context.Context) error { return ipc.AwaitRing(ctx, done) })
}

// AwaitChange is Await for those who follow files: done is asked after every
// change in the directories.
func AwaitChange(ctx context.Context, h journal.Home, done func() (bool, error), dirs ...string) error {
	return attended(ctx, h, func(ctx context.Context) error { return ipc.AwaitChange(ctx, done, dirs...) })
}

func attended(ctx context.Context, h journal.Home, wait func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := time.AfterFunc(wonder, func() {
		if err := keep(ctx, h); err != nil {
			cancel(err)
		}
	})
	defer t.Stop()
	err := wait(ctx)
	if err != nil && errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}

// keep starts supervisors as long as ctx lasts. It sleeps on the lock: no
// supervisor holds it when it returns.
func keep(ctx context.Context, h journal.Home) error {
	for ctx.Err() == nil {
		lock, err := launch.AwaitLock(h.SupervisorLock())
		if err != nil {
			return err
		}
		if ctx.Err() == nil {
			err = start(h, lock)
		}
		lock.Close()
		if err != nil {
			return err
		}
		time.Sleep(wonder) // a supervisor that cannot live must not be started in a tight loop
	}
	return nil
}
