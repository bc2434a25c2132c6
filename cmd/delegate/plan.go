package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/options"
	"github.com/agent-runs/agent-runs/cmd/internal/posting"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/plan"
)

// planRequest is one call of delegate --plan, checked as far as it can be
// without looking at the home.
type planRequest struct {
	name, owner, cwd string
	file             string // "": stdin
	limits           journal.PlanLimits
	tasks            []task
	faults           plan.Faults // all that is wrong so far
	wait, json       bool
	quiet            bool

	home   journal.Home
	launch *journal.Launch
}

// task is one task of the plan, with the work it is.
type task struct {
	plan.Task
	work
	called string // in faults
}

// planned is delegate --plan.
func planned(ctx context.Context, c *options.Line) error {
	r, err := parsePlan(c)
	if err != nil {
		return err
	}
	return r.run(ctx)
}

func parsePlan(c *options.Line) (*planRequest, error) {
	r := &planRequest{name: c.String("name"), wait: c.Bool("wait"), json: c.Bool("json"), quiet: c.Bool("quiet")}
	if err := alone(c); err != nil {
		return nil, err
	}
	var err error
	if r.owner, err = ownerOf(c); err != nil {
		return nil, err
	}
	if err := posting.Allowed(); err != nil {
		return nil, err
	}
	here, err := workDir(c.String("cwd"))
	if err != nil {
		return nil, err
	}
	if r.cwd = here; c.IsSet("cwd") {
		r.cwd = join(here, c.String("cwd"))
		if err := directory("--cwd", r.cwd); err != nil {
			return nil, err
		}
	}
	body, err := r.read(c.String("plan"), here)
	if err != nil {
		return nil, err
	}
	p, err := plan.Parse(body)
	if !errors.As(err, &r.faults) && err != nil || p == nil {
		return nil, r.told(err)
	}
	return r, r.check(c, p)
}

// alone refuses what a call cannot ask for besides a plan.
func alone(c *options.Line) error {
	if len(c.Words) > 0 || c.Ended {
		return cli.Fail(cli.Usage, "--plan says what is to be done; there is no room for a prompt or a command besides").WithTry("a task in the plan")
	}
	for _, name := range []string{"prompt", "stdin", "context", "needs"} {
		if c.IsSet(name) {
			return cli.Fail(cli.Usage, "--%s is for a single run, but --plan is given", name).WithTry("the field of that name in a task")
		}
	}
	return nil
}

func join(here, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(here, path)
}

// read returns what is in the file.
func (r *planRequest) read(file, here string) ([]byte, error) {
	from := io.Reader(os.Stdin)
	if file != "-" {
		r.file = join(here, file)
		f, err := os.Open(r.file)
		if err != nil {
			return nil, cli.Fail(cli.Usage, "--plan: %v", err)
		}
		defer f.Close()
		from = f
	}
	body, err := io.ReadAll(io.LimitReader(from, plan.MaxBytes+1))
	if err != nil {
		return nil, cli.Fail(cli.Usage, "--plan %s: %v", file, err)
	}
	if len(body) > plan.MaxBytes {
		return nil, cli.Fail(cli.Usage, "--plan %s has more than %d bytes", file, plan.MaxBytes)
	}
	return body, nil
}

// maxTold bounds how many faults are told at once.
const maxTold = 50

// told makes a usage error of a plan's faults, one line each.
func (r *planRequest) told(err error) error {
	var faults plan.Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		return err
	}
	from := "the plan on stdin"
	if r.file != "" {
		from = filepath.Base(r.file)
	}
	var lines []*cli.Error
	for _, f := range faults[:min(len(faults), maxTold)] {
		lines = append(lines, cli.Fail(cli.Usage, "%s: %v", from, f))
	}
	if more := len(faults) - maxTold; more > 0 {
		lines = append(lines, cli.Fail(cli.Usage, "%s: %d more faults", from, more))
	}
	return cli.Worst(lines)
}

// nameless is what a plan is called that has no name and comes from no file
// that could lend it one.
const nameless = "plan"

// nameOf is what the plan is called: as the caller says, as it says itself, or
// as its file.
func (r *planRequest) nameOf(c *options.Line, p *plan.Plan) error {
	field := "--name"
	if !c.IsSet("name") {
		field, r.name = "name", p.Name
	}
	if c.IsSet("name") || p.Name != "" {
		return named(field, r.name)
	}
	r.name = nameless
	base := filepath.Base(r.file)
	if name := strings.TrimSuffix(base, filepath.Ext(base)); r.file != "" && named("", name) == nil {
		r.name = name
	}
	return nil
}

// named is cli.CheckName for a name in that field.
func named(field, name string) error {
	err := cli.CheckName(name)
	var e *cli.Error
	if errors.As(err, &e) {
		e.Msg = field + strings.TrimPrefix(e.Msg, "--name")
	}
	return err
}

// taskName is what a task's run is called where nobody says, or "".
func (r *planRequest) taskName(id string) string {
	for _, name := range []string{r.name + "/" + id, id} {
		if cli.CheckName(name) == nil {
			return name
		}
	}
	return ""
}

// fault notes what is wrong with a task, as err says; nil is nothing.
func (r *planRequest) fault(t *task, err error) {
	if err == nil {
		return
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range all.Unwrap() {
			r.fault(t, one)
		}
		return
	}
	var e *cli.Error
	if errors.As(err, &e) && e.Try != "" {
		err = fmt.Errorf("%s (try: %s)", e.Msg, e.Try)
	}
	r.faults = append(r.faults, plan.Fault{Line: t.Line, Task: t.called, Text: err.Error()})
}

// faulty are the tasks with which something is known to be wrong.
func (r *planRequest) faulty() map[string]bool {
	tasks := make(map[string]bool, len(r.faults))
	for _, f := range r.faults {
		tasks[f.Task] = true
	}
	return tasks
}

// refused is the error of all faults, in the file's order.
func (r *planRequest) refused() error {
	if len(r.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(r.faults, func(a, b plan.Fault) int { return cmp.Compare(a.Line, b.Line) })
	return r.told(r.faults)
}

// directory refuses what is none.
func directory(field, path string) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return cli.Fail(cli.Usage, "%s %q is no directory", field, path)
	}
	return nil
}
