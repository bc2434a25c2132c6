//go:build linux && failpoint

package crash

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/journal"
)

// agentScenes are about runs of an agent, played by the fake one.
var agentScenes = []scene{
	{
		name:    "agent", // a prompt with a tool, from a cold home to the answer
		prepare: func(p *place) { p.playAgents() },
		act:     func(p *place) { p.agent("walk [[tool:0.2]]") },
		done:    (*place).quiet,
	}, {
		name: "guide", // in the middle of a tool
		prepare: func(p *place) {
			p.playAgents()
			p.working(p.agent("walk [[tool:0.5]]"))
		},
		act:  func(p *place) { p.runs("steer", p.runIDs()[0], "go left") },
		done: (*place).quiet,
	}, {
		name: "answer", // a question
		prepare: func(p *place) {
			p.playAgents()
			p.asking(p.agent("go [[ask]]", "--permission", "ask"))
		},
		act:  func(p *place) { p.runs("answer", p.runIDs()[0], "q1", "allow") },
		done: (*place).quiet,
	}, {
		name: "stop-agent", // in the middle of a tool
		prepare: func(p *place) {
			p.playAgents()
			p.working(p.agent("walk [[tool:30]]", "--grace", "200ms"))
		},
		act:  func(p *place) { p.stop(p.runIDs()[0]) },
		done: (*place).quiet,
	}, {
		name: "continue", // the session of a run that is over
		prepare: func(p *place) {
			p.playAgents()
			p.agent("one").wait()
			until(p.t, "the run is over", p.quiet)
		},
		act:  func(p *place) { p.runs("continue", "-q", p.runIDs()[0], "two") },
		done: func(p *place) bool { return len(p.runIDs()) == 2 && p.quiet() },
	},
}

// playAgents puts the fake agent where pi is looked for.
func (p *place) playAgents() {
	p.t.Helper()
	dir := filepath.Join(p.dir, "bin")
	if err := os.Mkdir(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Symlink(program("fakeagent"), filepath.Join(dir, "pi")); err != nil {
		p.t.Fatal(err)
	}
	p.env = append(p.env, "PATH="+dir+":"+os.Getenv("PATH"), "AGENT_RUNS_RUNTIME=pi")
}

// agent gives a prompt to the fake agent.
func (p *place) agent(prompt string, extra ...string) *call {
	p.t.Helper()
	return p.start(program("delegate"), append(append([]string{"-q"}, extra...), prompt)...)
}

func (p *place) working(c *call) {
	p.talking(c, func(v journal.Conversation) bool { return v.Doing != "" })
}

func (p *place) asking(c *call) {
	p.talking(c, func(v journal.Conversation) bool { return len(v.Questions) > 0 })
}

func (p *place) talking(c *call, stands func(journal.Conversation) bool) {
	p.t.Helper()
	if code := c.wait(); code != 0 {
		p.t.Fatalf("delegate: exit code %d: %s", code, c.err.String())
	}
	id := c.id()
	until(p.t, "the talk is there", func() bool {
		var v journal.Conversation
		return journal.Read(p.home.File(id, journal.ConversationFile), &v) == nil && stands(v)
	})
}

// answerQuestions does what a person does who finds one open.
func (c *matrixCase) answerQuestions() {
	for _, id := range c.runIDs() {
		var v journal.Conversation
		err := journal.Read(c.home.File(id, journal.ConversationFile), &v)
		if err == nil && slices.ContainsFunc(v.Questions, func(q journal.Question) bool { return q.Answer == "" }) && !c.done(id) {
			c.runs("answer", id, "q1", "allow").wait()
		}
	}
}

// judgeAgents is P9 for agents, read from what the agent itself remembers:
// nothing reached it twice, and where only one part at a time was killed,
// its work came to its end.
func (c *matrixCase) judgeAgents() {
	sessions, _ := filepath.Glob(filepath.Join(c.dir, ".fakeagent", "*.json"))
	for _, path := range sessions {
		var users []string
		b, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(b, &users) != nil {
			continue // killed while it wrote
		}
		for i, text := range users {
			if slices.Contains(users[:i], text) {
				c.t.Errorf("P9: %q reached the agent twice", text)
			}
		}
	}
	v := victims[c.victim]
	if v.child || v.shim && v.supervisor {
		return
	}
	for _, id := range c.runIDs() {
		var l journal.Launch
		var r journal.Result
		if journal.Read(c.home.File(id, journal.LaunchFile), &l) != nil || l.Agent == nil || journal.Read(c.home.File(id, journal.ResultFile), &r) != nil || r.Talk == nil {
			continue // no agent, or it never ran
		}
		if c.truth.Stopped[id] || v.shim && c.scene.name == "mend" || c.truth.ShimKilled[id] && (r.Cause == journal.CauseSpawn || c.scene.name == "agent" || c.scene.name == "continue") {
			// Ordered; or its shim died while it started, when nobody else held
			// its stdin open yet: it reads an end, and leaves. So may what verifies it.
			continue
		}
		if r.Status != journal.StatusCompleted || r.FinalText == nil || !strings.HasPrefix(*r.FinalText, "FINAL") {
			c.t.Errorf("run %s: %s %s: %s", id, r.Status, r.Cause, r.Error)
		}
	}
}
