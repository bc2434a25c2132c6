package main

import (
	"fmt"
	"os"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/settings"
)

// caps are the ceilings of today for runs that were asked for before. The
// settings of each directory are read once, and each thing is said once.
type caps struct {
	byDir map[string]*settings.Settings
	said  map[string]bool
}

func newCaps() *caps {
	return &caps{map[string]*settings.Settings{}, map[string]bool{}}
}

// on are the limits of the run before, no higher than the ceilings are by now.
func (c *caps) on(old *journal.Launch) journal.Limits {
	limits, lowered := c.in(old.Cwd).Cap(old.Limits)
	for _, l := range lowered {
		c.say("note: " + l.Words("limits."+l.Limit))
	}
	return limits
}

// in are the settings for children that work in dir.
func (c *caps) in(dir string) *settings.Settings {
	s := c.byDir[dir]
	if s == nil {
		s = settings.Load(os.Getenv, dir)
		c.byDir[dir] = s
		for _, w := range s.Warnings {
			c.say("warning: " + w)
		}
	}
	return s
}

func (c *caps) say(line string) {
	if !c.said[line] {
		c.said[line] = true
		fmt.Fprintln(os.Stderr, line)
	}
}
