//go:build linux && failpoint

package crash

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/agent-runs/agent-runs/journal"
)

// planScenes are about tasks that need each other.
var planScenes = []scene{
	{
		name:    "plan", // from a cold home to the end of its tasks, of which one fails and one is blocked
		prepare: func(*place) {},
		act: func(p *place) {
			p.plan(planTask{ID: "first", Command: p.child("work", "0")}, planTask{ID: "second", Needs: []string{"first"}, Command: p.child("work", "0")},
				planTask{ID: "bad", Command: p.child("work", "7")}, planTask{ID: "never", Needs: []string{"bad"}, Command: p.child("work", "0")})
		},
		done: func(p *place) bool { return len(p.runIDs()) == 5 && p.quiet() },
	}, {
		name: "stop-plan", // while one task runs and one waits for it
		prepare: func(p *place) {
			p.plan(planTask{ID: "reads", Command: p.child("read"), Stdin: "open", Grace: "200ms"}, planTask{ID: "waits", Needs: []string{"reads"}, Command: p.child("work", "0")}).wait()
			until(p.t, "the task has started, and a spare shim is ready", func() bool {
				return p.events(journal.EventStarted) == 1 && len(p.withRole("shim")) == 2
			})
		},
		act: func(p *place) {
			ids := p.runIDs()
			for _, id := range ids {
				p.truth.Stopped[id] = true
			}
			p.stop(ids[len(ids)-1])
		},
		done: (*place).quiet,
	}, {
		name: "continue-plan", // with what did not complete
		prepare: func(p *place) {
			p.plan(planTask{ID: "good", Command: p.child("work", "0")}, planTask{ID: "bad", Command: p.child("work", "7")}).wait()
			until(p.t, "the plan is over", func() bool { return len(p.runIDs()) == 3 && p.quiet() })
		},
		act:  func(p *place) { ids := p.runIDs(); p.runs("continue", "-q", ids[len(ids)-1]) },
		done: func(p *place) bool { return len(p.runIDs()) == 5 && p.quiet() },
	},
}

// planTask is one task of a plan, as it is written down.
type planTask struct {
	ID      string   `json:"id"`
	Needs   []string `json:"needs,omitempty"`
	Command []string `json:"command"`
	Stdin   string   `json:"stdin,omitempty"`
	Grace   string   `json:"grace,omitempty"`
}

// plan delegates tasks as one plan.
func (p *place) plan(tasks ...planTask) *call {
	p.t.Helper()
	body, err := json.Marshal(map[string]any{"tasks": tasks})
	if err == nil {
		err = os.WriteFile(filepath.Join(p.dir, "plan.json"), body, 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return p.start(program("delegate"), "-q", "--plan", filepath.Join(p.dir, "plan.json"))
}
