package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// PlanPart is the part of a view that only plans have: how many tasks there
// are, and how many of them are over.
type PlanPart struct {
	Tasks int `json:"tasks"`
	Over  int `json:"over"`
}

// Words is the part in a line.
func (p PlanPart) Words() string { return fmt.Sprintf("%d of %d tasks over", p.Over, p.Tasks) }

// planPart counts without reading: a listing may hold many plans.
func planPart(h journal.Home, r journal.Records) *PlanPart {
	if r.Launch == nil || r.Launch.Plan == nil {
		return nil
	}
	tasks := r.Launch.Plan.Tasks
	p := &PlanPart{Tasks: len(tasks)}
	if r.Result != nil {
		p.Over = p.Tasks
		return p
	}
	for _, t := range tasks {
		if _, err := os.Lstat(h.File(t.RunID, journal.ResultFile)); err == nil || t.Done {
			p.Over++
		}
	}
	return p
}

// Task is one task of a plan, as inspect --json and wait --json print it.
type Task struct {
	ID        string        `json:"id"`
	RunID     string        `json:"runId"`
	Name      string        `json:"name,omitempty"`
	Phase     journal.Phase `json:"phase"`
	Status    string        `json:"status"`
	Cause     string        `json:"cause,omitempty"`
	Error     string        `json:"error,omitempty"`
	Needs     []string      `json:"needs"`          // ids of tasks
	Done      bool          `json:"done,omitempty"` // completed in the plan that this one goes on from
	StartedAt *time.Time    `json:"startedAt"`
	EndedAt   *time.Time    `json:"endedAt"`
	Words     string        `json:"-"` // the status with what matters of its cause
	Ending    string        `json:"-"` // how it ended, if it has
	Proven    bool          `json:"-"` // nothing of it is left
}

// statusRemoved is what is said of a task whose records somebody removed.
const statusRemoved = "removed"

// Tasks returns the tasks of the plan that v is the view of, in its order.
func Tasks(h journal.Home, v View) ([]Task, error) {
	plan := v.Launch.Plan
	name := make(map[string]string, len(plan.Tasks))
	ids := make([]string, len(plan.Tasks))
	for i, t := range plan.Tasks {
		name[t.RunID], ids[i] = t.ID, t.RunID
	}
	views, err := Views(h, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[string]View, len(views))
	for _, t := range views {
		found[t.ID] = t
	}
	tasks := make([]Task, len(plan.Tasks))
	for i, t := range plan.Tasks {
		tasks[i] = Task{ID: t.ID, RunID: t.RunID, Done: t.Done, Needs: []string{}}
		if of, ok := found[t.RunID]; ok {
			tasks[i].take(of, name)
		} else {
			tasks[i].removed(v.Result)
		}
	}
	return tasks, nil
}

func (t *Task) take(v View, name map[string]string) {
	t.Name, t.Phase, t.Status, t.Cause, t.StartedAt, t.EndedAt = v.Name, v.Phase, v.Status, v.Cause, v.StartedAt, v.EndedAt
	t.Words, t.Ending, t.Proven = v.statusWords(), v.Ending(), v.Proven()
	if v.Result != nil {
		t.Error = v.Result.Error
	}
	if v.Launch == nil || t.Done {
		return // what it needed was in another plan
	}
	for _, id := range v.Launch.Needs {
		if known, ok := name[id]; ok {
			id = known
		}
		t.Needs = append(t.Needs, id)
	}
}

// removed is what the plan's result still knows of a task.
func (t *Task) removed(result *journal.Result) {
	t.Phase, t.Status, t.Words, t.Proven = journal.PhaseTerminal, statusRemoved, statusRemoved, true
	defer func() { t.Ending = t.Words }()
	if result == nil {
		return
	}
	for _, end := range result.Tasks {
		if end.RunID == t.RunID {
			t.Status, t.Cause = end.Status, end.Cause
			t.Words = end.Status + ", " + statusRemoved
		}
	}
}

// Over reports whether the task has ended.
func (t Task) Over() bool { return t.Phase == journal.PhaseTerminal }

// PlanOf returns the live plan that a run is a task of, or "".
func PlanOf(h journal.Home, v View) (string, error) {
	if v.Launch == nil || v.Launch.PlanID == "" {
		return "", nil
	}
	return liveOne(h, v.Launch.PlanID)
}

// NoPlan refuses what a plan cannot be used for.
func NoPlan(v View, why string) error {
	if v.Plan == nil {
		return nil
	}
	return Fail(Refused, "run %s is a plan, and %s", v.ID, why).WithTry("agent-runs inspect %s, for its tasks", v.ID)
}
