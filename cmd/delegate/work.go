package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/agent-runs/agent-runs/cmd/internal/agents"
	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/posting"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/settings"
)

// work is what one run is to do and how, checked as far as it can be without
// looking at the home.
type work struct {
	argv      []string  // of a plain command
	agent     *agentAsk // nil: a plain command
	name, cwd string
	cwdGiven  bool
	env       []string
	stdin     string
	limits    journal.Limits
	verify    *journal.Verify    // nil: its own end will do
	queue     bool               // it takes its turn
	needs     []string           // runs that must have completed before it starts, as typed
	task      string             // its id in a plan
	settings  *settings.Settings // where the child works
}

// parse reads the options that are not an agent's only, and completes the
// limits by the settings. Relative paths are meant from here. All that is wrong
// is told, joined: a call tells the first of it, a plan the whole.
func (w *work) parse(o asked, here string, p *preferences) error {
	w.name, w.cwd, w.env, w.stdin = o.String("name"), o.String("cwd"), o.StringSlice("env"), o.String("stdin")
	var wrong []error
	if o.IsSet("name") {
		wrong = append(wrong, named(o.Field("name"), w.name))
	}
	wrong = append(wrong, w.limit(o), w.prove(o))
	for i, a := range w.argv {
		wrong = append(wrong, checkText(fmt.Sprintf("argument %d", i), a))
	}
	for _, e := range w.env {
		if k, _, ok := strings.Cut(e, "="); !ok || k == "" {
			wrong = append(wrong, cli.Fail(cli.Usage, "%s %q is not of the form K=V", o.Field("env"), e))
		}
	}
	if err := errors.Join(append(wrong, w.places(o, here))...); err != nil {
		return err
	}
	w.settle(o, p)
	return nil
}

// places makes paths absolute.
func (w *work) places(o asked, here string) error {
	if w.cwdGiven = w.cwd != ""; !w.cwdGiven {
		w.cwd = here
	} else if !filepath.IsAbs(w.cwd) {
		w.cwd = filepath.Join(here, w.cwd)
	}
	switch w.stdin {
	case "", "open", "-":
	default:
		if !filepath.IsAbs(w.stdin) {
			w.stdin = filepath.Join(here, w.stdin)
		}
		if f, err := os.OpenFile(w.stdin, os.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
			return cli.Fail(cli.Usage, "%s: %v", o.Field("stdin"), err)
		} else {
			f.Close()
		}
	}
	if err := checkText(o.Field("cwd"), w.cwd); err != nil {
		return err
	}
	return checkText(o.Field("stdin"), w.stdin)
}

// checkText refuses what a record would change in silence: JSON holds text,
// and the child would get other bytes than its caller gave.
func checkText(field, s string) error {
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		return cli.Fail(cli.Usage, "%s %q is not valid UTF-8 text", field, s)
	}
	return nil
}

// launchOf is the launch record of the work, as far as it is known without
// the caller and the home.
func (w *work) launchOf(id, owner string, now time.Time) *journal.Launch {
	return &journal.Launch{ID: id, RootID: id, Name: w.name, Owner: owner, Cwd: w.cwd, Context: journal.ContextFresh,
		Program: journal.Program{Runtime: journal.RuntimeCommand, Argv: w.argv}, Limits: w.limits, Queue: w.queue, Verify: w.verify, Task: w.task, CreatedAt: now}
}

// equip returns the child's environment. Of an agent it completes the launch.
// Nothing is written.
func (w *work) equip(h journal.Home, l *journal.Launch) ([]string, error) {
	if err := posting.Ceilings(h, w.limits, w.settings); err != nil {
		return nil, err
	}
	if w.agent == nil {
		return posting.Env(os.Environ(), w.env, w.cwd), nil
	}
	path := posting.Getenv(posting.Env(os.Environ(), w.env, l.Cwd), "PATH")
	runtime, err := w.agent.complete(h, w, l, path)
	if err != nil {
		return nil, err
	}
	if err := w.mendable(runtime); err != nil {
		return nil, err
	}
	return agents.Equip(l, runtime, posting.Env(os.Environ(), w.env, l.Cwd))
}
