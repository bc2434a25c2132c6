//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// The big plan: so many tasks with so many needs, each of them so long.
const (
	planTasks = 1000
	planNeeds = 5
	planTask  = 200 * time.Millisecond
	planOnce  = 4
)

// bigPlan measures what a plan adds to the work of its tasks: the time from the
// start of its first task to the end of its last one, against what the tasks
// took themselves. Each task needs five of those before it, but none so late
// that fewer than all places could be taken.
func bigPlan(p *place) ([]row, error) {
	type task struct {
		ID      string   `json:"id"`
		Needs   []string `json:"needs,omitempty"`
		Command []string `json:"command"`
	}
	edges, tasks := 0, make([]task, planTasks)
	for i := range tasks {
		tasks[i] = task{ID: fmt.Sprint("t", i), Command: []string{"sleep", fmt.Sprint(planTask.Seconds())}}
		for n := range planNeeds + 1 {
			if need := i - 10*(n+1); need >= 0 && (n < planNeeds || i%6 == 0) {
				tasks[i].Needs = append(tasks[i].Needs, fmt.Sprint("t", need))
				edges++
			}
		}
	}
	body, err := json.Marshal(map[string]any{"limits": map[string]any{"concurrency": planOnce}, "tasks": tasks})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(p.dir, "plan.json")
	if err := os.WriteFile(file, body, 0o600); err != nil {
		return nil, err
	}
	took, out, err := p.spawn(p.cmd("delegate", "-q", "--plan", file))
	if err != nil {
		return nil, err
	}
	id := strings.TrimSpace(out)
	if _, _, err := p.spawn(p.cmd("agent-runs", "wait", "-q", id)); err != nil {
		return nil, err
	}
	span, own, err := p.spans(id)
	if err != nil {
		return nil, err
	}
	return []row{
		{fmt.Sprintf("`delegate --plan`: %d tasks with %d needs, checked and durable, each task", planTasks, edges), fmt.Sprintf("%.2f U", float64(took)/planTasks/float64(p.unit())), ""},
		{fmt.Sprintf("the plan, %d at once, %v each, against its tasks' own time", planOnce, planTask), fmt.Sprintf("%.3f ×", float64(span)*planOnce/float64(own)), "1.05 ×"},
	}, nil
}

// spans returns how long a plan worked, and how long its tasks did together.
func (p *place) spans(id string) (whole, own time.Duration, err error) {
	h := journal.Home{Dir: p.home()}
	var l journal.Launch
	if err := journal.Read(h.File(id, journal.LaunchFile), &l); err != nil {
		return 0, 0, err
	}
	var first, last time.Time
	for _, t := range l.Plan.Tasks {
		var from journal.Process
		var to journal.Exit
		if err := journal.Read(h.File(t.RunID, journal.ProcessFile), &from); err != nil {
			return 0, 0, err
		}
		if err := journal.Read(h.File(t.RunID, journal.ExitFile), &to); err != nil {
			return 0, 0, err
		}
		if first.IsZero() || from.StartedAt.Before(first) {
			first = from.StartedAt
		}
		if to.At.After(last) {
			last = to.At
		}
		own += to.At.Sub(from.StartedAt)
	}
	return last.Sub(first), own, nil
}
