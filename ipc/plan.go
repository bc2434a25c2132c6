package ipc

import (
	"fmt"
	"sync"

	"github.com/agent-runs/agent-runs/internal/failpoint"
	"github.com/agent-runs/agent-runs/journal"
)

// postersOfTasks is how many launch records are made durable at the same time:
// enough for a file system to commit many at once, and few threads.
const postersOfTasks = 32

// PostPlan publishes a plan. The launches of its tasks are durable before its
// own, so that what it lists is always there, and its own before the command,
// so that a plan that is at work is never unknown. An asker that dies in between
// leaves tasks that were never commanded. Of several plans that would go on from
// the same one, the others are told journal.ErrExists.
func PostPlan(h journal.Home, tasks []journal.Launch, plan journal.Launch, c journal.Command) error {
	if err := postTasks(h, tasks); err != nil {
		return fmt.Errorf("post plan %s: %w", plan.ID, err)
	}
	if err := journal.SyncDir(h.Runs()); err != nil {
		return err
	}
	failpoint.Hit("plan/tasks")
	b := journal.Batch{StageIn: h.Run(plan.ID)}
	if err := b.Add(h.File(plan.ID, journal.LaunchFile), plan); err != nil {
		return err
	}
	b.AddDir(h.Runs())
	if err := b.Commit(); err != nil {
		return fmt.Errorf("post plan %s: %w", plan.ID, err)
	}
	if plan.Predecessor != "" { // of several that would go on from it, one can
		claim := journal.Successor{Version: journal.Version, ID: plan.ID}
		if err := journal.WriteOnce(h.File(plan.Predecessor, journal.SuccessorFile), claim); err != nil {
			return err
		}
	}
	return Post(h, c)
}

// postTasks returns the first error by the tasks' order. After one no more are
// begun.
func postTasks(h journal.Home, tasks []journal.Launch) error {
	var next int
	var failed bool
	errs := make([]error, len(tasks))
	var mu sync.Mutex
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if failed || next == len(tasks) {
			return -1
		}
		next++
		return next - 1
	}
	var wg sync.WaitGroup
	for range min(postersOfTasks, len(tasks)) {
		wg.Go(func() {
			for i := take(); i >= 0; i = take() {
				if errs[i] = postTask(h, tasks[i]); errs[i] != nil {
					mu.Lock()
					failed = true
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func postTask(h journal.Home, l journal.Launch) error {
	b := journal.Batch{StageIn: h.Run(l.ID)}
	if err := b.Add(h.File(l.ID, journal.LaunchFile), l); err != nil {
		return err
	}
	return b.Commit()
}
