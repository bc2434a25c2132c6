//go:build linux && failpoint

package crash

import (
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// scene is one thing that happens in a home. The matrix kills at every
// instant that it passes through.
type scene struct {
	name    string
	prepare func(*place)      // before anything is armed
	act     func(*place)      // starts what is to be interrupted; never waits for its end
	done    func(*place) bool // it came to its end undisturbed
}

// scenes are together the standard scenario. Each is small, so that a case
// needs a second and says by its name where it happened.
var scenes = []scene{
	{
		name:    "start", // a cold home, a run with a small tree that ends by itself
		prepare: func(*place) {},
		act: func(p *place) {
			p.start(program("delegate"), append([]string{"--wait", "--grace", "200ms", "--"}, p.child("work", "7")...)...)
		},
		done: (*place).quiet,
	}, {
		name:    "missing", // a program that does not exist
		prepare: func(*place) {},
		act:     func(p *place) { p.delegate(nil, "/no/such/program") },
		done:    (*place).quiet,
	}, {
		name:    "steer",
		prepare: func(p *place) { p.reader() },
		act: func(p *place) {
			p.truth.Steers = []string{"a word"}
			p.runs("steer", p.runIDs()[0], "a word")
		},
		done: func(p *place) bool { return p.printed(p.runIDs()[0], "got a word\n") && p.open() == 1 },
	}, {
		name:    "eof", // the last word, and the end of stdin
		prepare: func(p *place) { p.reader() },
		act: func(p *place) {
			p.truth.Steers = []string{"the last"}
			p.runs("steer", "--eof", p.runIDs()[0], "the last")
		},
		done: func(p *place) bool { return p.printed(p.runIDs()[0], "eof\n") && p.open() == 1 },
	}, {
		name:    "stop", // of a tree that ignores TERM
		prepare: func(p *place) { p.reader() },
		act:     func(p *place) { p.stop(p.runIDs()[0]) },
		done:    (*place).quiet,
	}, {
		name:    "timeout", // a limit ends the run, and nobody asked
		prepare: func(*place) {},
		act: func(p *place) {
			p.delegate([]string{"--max-duration", "150ms", "--grace", "50ms"}, p.child("read")...)
		},
		done: (*place).quiet,
	}, {
		name:    "supervisor-killed",
		prepare: func(p *place) { p.reader(); p.reader() },
		act:     func(p *place) { p.kill(p.withRole("supervisor")) },
		done:    func(p *place) bool { return p.events(journal.EventAdopted) == 2 },
	}, {
		name:    "shim-killed", // and then the run is stopped
		prepare: func(p *place) { p.reader() },
		act: func(p *place) {
			p.truth.ShimKilled[p.runIDs()[0]] = true
			p.kill(p.withRole("shim"))
			p.stop(p.runIDs()[0])
		},
		done: (*place).quiet,
	}, {
		name:    "leave", // the supervisor goes, the child stays
		prepare: func(p *place) { p.reader() },
		act:     func(p *place) { p.leave() },
		done:    func(p *place) bool { return len(p.withRole("supervisor")) == 0 },
	}, {
		name: "return", // and another comes
		prepare: func(p *place) {
			p.reader()
			p.leave()
			until(p.t, "the supervisor has left", func() bool { return len(p.withRole("supervisor")) == 0 })
		},
		act:  func(p *place) { p.delegate(nil, "true") },
		done: func(p *place) bool { return p.events(journal.EventAdopted) == 1 && p.open() == 1 },
	}, {
		name:    "attach",
		prepare: (*place).settledRun,
		act:     func(p *place) { p.runs("attach", "-q") },
		done:    func(p *place) bool { return p.quiet() && there(p.home.Attachment("user")) },
	}, {
		name:    "acknowledge", // an end that was waiting
		prepare: (*place).settledRun,
		act:     func(p *place) { p.runs("completions", "--ack", "all") },
		done:    func(p *place) bool { return p.quiet() && there(p.home.File(p.runIDs()[0], journal.AcknowledgedFile)) },
	}, {
		name:    "settings", // a person changes one while others are set
		prepare: func(p *place) { p.setBefore() },
		act:     func(p *place) { p.runs("settings", "set", "limits.turns", "7") },
		done:    func(p *place) bool { return p.changedSettings() },
	}, {
		name: "idle", // nothing is left to be done
		prepare: func(p *place) {
			p.env = append(p.env, "AGENT_RUNS_LINGER=400ms")
			p.ordinary()
			until(p.t, "everybody has let go of its run", func() bool {
				held, err := launch.Held(p.home.File(p.runIDs()[0], journal.LockFile))
				return err == nil && !held && p.open() == 0
			})
		},
		act:  func(*place) {},
		done: func(p *place) bool { return len(p.withRole("supervisor")) == 0 },
	},
}
