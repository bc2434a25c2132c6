package main

import (
	"fmt"
	"io"
	"os"

	"github.com/agent-runs/agent-runs/settings"
)

// preferences are the settings where children work. Each directory's are read
// once, and what is to be said of them is said once.
type preferences struct {
	stderr io.Writer
	byDir  map[string]*settings.Settings
	said   map[string]bool
}

func newPreferences() *preferences {
	return &preferences{stderr: os.Stderr, byDir: map[string]*settings.Settings{}, said: map[string]bool{}}
}

// in returns the settings for children that work in dir.
func (p *preferences) in(dir string) *settings.Settings {
	s := p.byDir[dir]
	if s == nil {
		s = settings.Load(os.Getenv, dir)
		p.byDir[dir] = s
		for _, w := range s.Warnings {
			p.say("warning: " + w)
		}
	}
	return s
}

func (p *preferences) say(line string) {
	if !p.said[line] {
		p.said[line] = true
		fmt.Fprintln(p.stderr, line)
	}
}

// settle completes the limits by the settings, and says which of them could
// not be had.
func (w *work) settle(o asked, p *preferences) {
	w.settings = p.in(w.cwd)
	combined, lowered := w.settings.Combine(settings.Ask{Limits: w.limits, GraceGiven: o.IsSet("grace"), Agent: w.agent != nil, Queued: w.queues(o)})
	for _, l := range lowered {
		p.say("note: " + l.Words(o.Field(flagOf(l.Limit))))
	}
	w.limits, w.queue = combined, w.queues(o)
	if w.verify != nil && w.verify.MaxDurationMS == 0 {
		w.verify.MaxDurationMS = w.settings.VerifyMS()
	}
}

// queues reports whether the run may have to wait for others. The caller of
// an agent that is waited for is blocked anyway, and commands wait if they are
// asked to.
func (w *work) queues(o asked) bool {
	return w.agent != nil && !o.Bool("wait") || o.Bool("queued")
}

// flagOf is the option that gives a limit of the settings.
func flagOf(limit string) string {
	switch limit {
	case "queueWait":
		return "max-queue-wait"
	case "startup", "idle":
		return limit + "-timeout"
	case "grace":
		return "grace"
	}
	return "max-" + limit
}
