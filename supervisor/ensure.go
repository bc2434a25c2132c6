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
	if os.Getenv("AGENT_RUNS_RUN_ID") != "" || launch.InsideRun() {
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
	return attended(ctx, h, always, func(ctx context.Context) error { return ipc.AwaitRing(ctx, done) })
}

// AwaitChange is Await for those who follow files: done is asked after every
// change in the directories. A supervisor that a person sends away meanwhile
// is not brought back by those who only look on.
func AwaitChange(ctx context.Context, h journal.Home, done func() (bool, error), dirs ...string) error {
	return attended(ctx, h, unlessSentAway(h), func(ctx context.Context) error { return ipc.AwaitChange(ctx, done, dirs...) })
}

// Attend brings a supervisor back whenever none is there and one is missed. It
// returns when none is there and none is missed, and may be called again then,
// or with ctx once it is woken by the death of a supervisor.
func Attend(ctx context.Context, h journal.Home, missed func() bool) error {
	select {
	case <-time.After(wonder): // who begins now may be about to be served
	case <-ctx.Done():
		return ctx.Err()
	}
	return keep(ctx, h, missed)
}

// always and unlessSentAway say whether a supervisor that is gone is missed.
func always() bool { return true }

func unlessSentAway(h journal.Home) func() bool {
	before := lastOrder(h)
	return func() bool {
		now := lastOrder(h)
		return now == "" || now == before
	}
}

// SentAway reports whether the last supervisor left because a person asked it
// to. Those who only look do not bring it back.
func SentAway(h journal.Home) bool { return lastOrder(h) != "" }

// lastOrder names the supervisor that left because a person asked it to, or
// is "" where the last one did not.
func lastOrder(h journal.Home) string {
	var last journal.Supervisor
	if journal.Read(h.Supervisor(), &last) == nil && last.State == journal.SupervisorStopped {
		return last.Incarnation
	}
	return ""
}

// lastToLeave names the last supervisor if it left by its own decision, which
// is no death however short its life was.
func lastToLeave(h journal.Home) string {
	var last journal.Supervisor
	if journal.Read(h.Supervisor(), &last) == nil && last.State != journal.SupervisorRunning {
		return last.Incarnation
	}
	return ""
}

func attended(ctx context.Context, h journal.Home, missed func() bool, wait func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := time.AfterFunc(wonder, func() {
		if err := keep(ctx, h, missed); err != nil {
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

// A supervisor that dies within shortLife did not get far. So many in a row,
// and the asker is told instead of being kept waiting. The pauses between them
// grow from wonder to a second, which is well below shortLife.
const (
	shortLife  = 3 * time.Second
	shortLives = 8
)

// keep starts supervisors as long as ctx lasts and they are missed. It sleeps
// on the lock: no supervisor holds it when it returns.
func keep(ctx context.Context, h journal.Home, missed func() bool) error {
	began, deaths, before := time.Time{}, 0, ""
	for ctx.Err() == nil {
		lock, err := launch.AwaitLock(h.SupervisorLock())
		if err != nil {
			return err
		}
		if !missed() {
			return lock.Close()
		}
		left := lastToLeave(h)
		if deaths++; left != before || time.Since(began) > shortLife {
			deaths = 0
		}
		before = left
		if deaths >= shortLives {
			lock.Close()
			return fmt.Errorf("no supervisor stays alive; see %s", h.SupervisorLog())
		}
		began = time.Now()
		if ctx.Err() == nil {
			err = start(h, lock)
		}
		lock.Close()
		if err != nil {
			return err
		}
		time.Sleep(min(wonder<<deaths, time.Second))
	}
	return nil
}
