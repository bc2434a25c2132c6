//go:build linux && failpoint

package crash

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// delegationScenes are about what stands between runs: what proves them, what
// they wait for, and what they belong to.
var delegationScenes = []scene{
	{
		name:    "verify", // a child, and then two checks
		prepare: func(*place) {},
		act: func(p *place) {
			check := "exec " + strings.Join(p.child("work", "0"), " ")
			p.delegate([]string{"--verify", check, "--verify", check}, p.child("work", "0")...)
		},
		done: func(p *place) bool { return len(p.runIDs()) == 3 && p.quiet() },
	}, {
		name:    "mend", // a check fails once, and its agent is told
		prepare: func(p *place) { p.playAgents() },
		act: func(p *place) {
			p.agent("walk", "--verify", "test -e mended || { touch mended; exit 7; }", "--verify-retry", "1")
		},
		done: func(p *place) bool { return len(p.runIDs()) == 4 && p.quiet() },
	}, {
		name: "stop-verify", // while a check is at work
		prepare: func(p *place) {
			c := p.delegate([]string{"--grace", "200ms", "--verify", "exec " + strings.Join(p.child("read", "stubborn"), " ")}, p.child("work", "0")...)
			c.wait()
			p.first = c.id()
			until(p.t, "the check is at work, and a spare shim is ready", func() bool {
				return p.events(journal.EventStarted) == 2 && len(p.withRole("shim")) == 2
			})
		},
		act:  func(p *place) { p.stop(p.first) },
		done: (*place).quiet,
	}, {
		name: "queue", // one slot, and a run that waits for it
		prepare: func(p *place) {
			p.oneSlot()
			p.delegate([]string{"--queued"}, "sleep", "0.5").wait()
		},
		act:  func(p *place) { p.delegate([]string{"--queued"}, p.child("work", "0")...) },
		done: func(p *place) bool { return len(p.runIDs()) == 2 && p.quiet() },
	},
}

// oneSlot lets one run with a slot be at work at once.
func (p *place) oneSlot() {
	p.t.Helper()
	p.put(filepath.Join(p.dir, "config", "agent-runs", "settings.json"), map[string]any{"concurrency": 1})
}

func (p *place) put(path string, v any) {
	p.t.Helper()
	body, err := json.Marshal(v)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, body, 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// judgeDelegation looks at what the records of several runs say together.
func (c *matrixCase) judgeDelegation() {
	for _, id := range c.runIDs() {
		var l journal.Launch
		var r journal.Result
		if journal.Read(c.home.File(id, journal.LaunchFile), &l) != nil || journal.Read(c.home.File(id, journal.ResultFile), &r) != nil {
			continue
		}
		c.judgeProof(l, r)
		c.judgeNeeds(l, r)
		c.judgePlan(l, r)
	}
	c.judgeSlots()
}

// judgeNeeds: a run starts after what it needs has completed, or never.
func (c *matrixCase) judgeNeeds(l journal.Launch, r journal.Result) {
	var p journal.Process
	started := journal.Read(c.home.File(l.ID, journal.ProcessFile), &p) == nil
	for _, id := range l.Needs {
		var need journal.Result
		if journal.Read(c.home.File(id, journal.ResultFile), &need) != nil {
			if r.Status != journal.StatusStopped {
				c.t.Errorf("run %s is over before %s, which it needs", l.ID, id)
			}
			continue
		}
		if started && (need.Status != journal.StatusCompleted || p.StartedAt.Before(need.EndedAt)) {
			c.t.Errorf("run %s started, and %s, which it needs, %s %s", l.ID, id, need.Status, need.Cause)
		}
		if r.Cause == journal.CauseBlocked && need.Status == journal.StatusCompleted && len(l.Needs) == 1 {
			c.t.Errorf("run %s is blocked, and %s, which it needs, completed", l.ID, id)
		}
	}
}

// judgePlan: a plan is over after its tasks, and says how each ended.
func (c *matrixCase) judgePlan(l journal.Launch, r journal.Result) {
	if l.Plan == nil || r.Cause == journal.CauseSpawn {
		return
	}
	if len(r.Tasks) != len(l.Plan.Tasks) {
		c.t.Errorf("plan %s tells of %d of its %d tasks", l.ID, len(r.Tasks), len(l.Plan.Tasks))
	}
	for _, task := range r.Tasks {
		var end journal.Result
		if err := journal.Read(c.home.File(task.RunID, journal.ResultFile), &end); err != nil {
			c.t.Errorf("plan %s is over, and its task %s is not: %v", l.ID, task.ID, err)
		} else if end.Status != task.Status || end.Cause != task.Cause {
			c.t.Errorf("plan %s says that %s %s %s; it %s %s", l.ID, task.ID, task.Status, task.Cause, end.Status, end.Cause)
		}
	}
	v := victims[c.victim]
	if !v.child && !v.shim && c.scene.name == "plan" && r.Error != "of 4 tasks 1 blocked, 1 failed" {
		c.t.Errorf("plan %s: %s %s: %s", l.ID, r.Status, r.Cause, r.Error)
	}
}

// judgeSlots: of the runs with a slot no two were at work at once.
func (c *matrixCase) judgeSlots() {
	if c.scene.name != "queue" {
		return
	}
	type work struct{ from, to time.Time }
	var all []work
	for _, id := range c.runIDs() {
		var l journal.Launch
		var p journal.Process
		var e journal.Exit
		if journal.Read(c.home.File(id, journal.LaunchFile), &l) == nil && l.Queue &&
			journal.Read(c.home.File(id, journal.ProcessFile), &p) == nil && journal.Read(c.home.File(id, journal.ExitFile), &e) == nil {
			all = append(all, work{p.StartedAt, e.At})
		}
	}
	slices.SortFunc(all, func(a, b work) int { return a.from.Compare(b.from) })
	for i := 1; i < len(all); i++ {
		if all[i].from.Before(all[i-1].to) {
			c.t.Errorf("two runs shared the only slot for %v", all[i-1].to.Sub(all[i].from))
		}
	}
}

// judgeProof: only what all checks have passed is completed, and what was
// killed of us changes no verdict.
func (c *matrixCase) judgeProof(l journal.Launch, r journal.Result) {
	if l.Verify == nil {
		return
	}
	n := len(l.Verify.Commands)
	if r.Status == journal.StatusCompleted {
		last := r.Verified[max(0, len(r.Verified)-n):]
		if len(last) < n {
			c.t.Errorf("run %s is completed with %d of %d checks", l.ID, len(last), n)
		}
		for _, check := range last {
			if !check.Passed {
				c.t.Errorf("run %s is completed and a check has failed", l.ID)
			}
		}
	}
	v := victims[c.victim]
	if !v.child && !v.shim && !c.truth.Stopped[l.ID] && r.Status != journal.StatusCompleted {
		c.t.Errorf("run %s: %s %s: %s", l.ID, r.Status, r.Cause, r.Error)
	}
}
