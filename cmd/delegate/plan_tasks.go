package main

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/options"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/plan"
)

// layered are the options of one task: what it says itself, else the call,
// else the plan for all its tasks. Environments add up.
type layered struct {
	task, defaults plan.Options
	call           commandLine
	plain          bool // the task is a command
}

// ownOnly are options that a task has for itself, or that mean the plan's where
// a call gives them.
func ownOnly(name string) bool { return name == "name" || name == "cwd" || name == "wait" }

func (o layered) called(name string) bool { return !ownOnly(name) && o.call.IsSet(name) }

func (o layered) IsSet(name string) bool {
	return o.task.IsSet(name) || o.fits(name) && (o.called(name) || o.defaults.IsSet(name))
}

// fits reports whether what holds for all tasks can hold for this one.
func (o layered) fits(name string) bool {
	switch name {
	case "verify-retry":
		return !o.plain && o.IsSet("verify")
	case "verify-timeout":
		return o.IsSet("verify")
	}
	return true
}

// from is where an option's value is.
func (o layered) from(name string) interface {
	String(string) string
	Bool(string) bool
} {
	switch {
	case o.task.IsSet(name):
		return o.task
	case o.called(name):
		return o.call
	default:
		return o.defaults
	}
}

func (o layered) String(name string) string { return o.from(name).String(name) }
func (o layered) Bool(name string) bool     { return o.from(name).Bool(name) }

func (o layered) StringSlice(name string) []string {
	lists := [][]string{o.defaults.StringSlice(name), nil, o.task.StringSlice(name)}
	if o.called(name) {
		lists[1] = o.call.StringSlice(name)
	}
	if name == "env" {
		return slices.Concat(lists...)
	}
	for _, l := range slices.Backward(lists) {
		if l != nil {
			return l
		}
	}
	return nil
}

func (o layered) Field(name string) string {
	if !o.task.IsSet(name) && o.called(name) {
		return o.call.Field(name)
	}
	if !o.task.IsSet(name) && o.defaults.IsSet(name) {
		return o.defaults.Field(name)
	}
	return o.task.Field(name)
}

// check makes work of the tasks and notes what is bad in any of them. The error
// is what is bad in the call.
func (r *planRequest) check(c *options.Line, p *plan.Plan) error {
	if err := r.nameOf(c, p); err != nil && c.IsSet("name") {
		return err
	} else if err != nil {
		r.faults = append(r.faults, plan.Fault{Text: err.Error()})
	}
	var faults plan.Faults
	r.limits, faults = limitsOf(p.Limits)
	r.faults = append(r.faults, faults...)
	prefs := newPreferences()
	r.tasks = make([]task, len(p.Tasks))
	for i := range p.Tasks {
		t := &r.tasks[i]
		t.Task = p.Tasks[i]
		if t.called = t.ID; t.called == "" {
			t.called = plan.Nameless(i)
		}
		if (t.Prompt == "") == (len(t.Command) == 0) {
			continue // it is noted already that nobody knows what it is to do
		}
		o := layered{t.Options, p.Defaults, commandLine{c}, t.Prompt == ""}
		r.fault(t, t.prepare(r, o, prefs))
	}
	return nil
}

// prepare makes work of a task. The errors are all that is wrong, joined.
func (t *task) prepare(r *planRequest, o layered, prefs *preferences) error {
	t.task, t.work.argv = t.ID, t.Command
	var wrong []error
	if t.Prompt != "" {
		t.agent = &agentAsk{Agent: journal.Agent{Prompt: t.Prompt}}
		wrong = append(wrong, cli.CheckText("prompt", t.Prompt))
		if t.IsSet("stdin") {
			wrong = append(wrong, cli.Fail(cli.Usage, "%s is for commands: an agent's stdin is how it is spoken with", t.Field("stdin")))
		}
		wrong = append(wrong, t.agent.parse(o, &t.limits))
	} else {
		wrong = append(wrong, t.plainOnly())
	}
	if t.String("stdin") == "-" {
		wrong = append(wrong, cli.Fail(cli.Usage, "%s \"-\" is for a single run; open and a FILE are accepted", t.Field("stdin")))
	}
	wrong = append(wrong, t.work.parse(o, r.cwd, prefs))
	if t.cwdGiven && len(t.Needs) == 0 { // what it needs may make it
		wrong = append(wrong, directory(o.Field("cwd"), t.cwd))
	}
	if !o.task.IsSet("name") {
		t.name = r.taskName(t.ID)
	}
	return errors.Join(wrong...)
}

// plainOnly refuses options of agents in a command's own words. Those that hold
// for all tasks are passed over.
func (t *task) plainOnly() error {
	var wrong []error
	for _, f := range agentFlags() {
		if name := f.Name; t.IsSet(name) {
			wrong = append(wrong, cli.Fail(cli.Usage, "%s is for agents, but the task is a command", t.Field(name)))
		}
	}
	return errors.Join(wrong...)
}

// limitsOf reads the limits of all tasks together.
func limitsOf(typed plan.Limits) (l journal.PlanLimits, faults plan.Faults) {
	bad := func(v plan.Value, err error) {
		if err != nil {
			faults = append(faults, plan.Fault{Line: v.Line, Text: err.Error()})
		}
	}
	count := func(field string, v plan.Value, most int64) int64 {
		if v.Line == 0 {
			return 0
		}
		n, err := strconv.ParseInt(v.Text, 10, 64)
		if err != nil || n < 1 || n > most {
			bad(v, cli.Fail(cli.Usage, "%s %q is none; whole numbers from 1 to %d are accepted", field, v.Text, most))
		}
		return n
	}
	l.Concurrency = int(count("concurrency", typed.Concurrency, math.MaxInt32))
	l.MaxTokens = count("tokens", typed.Tokens, math.MaxInt64)
	if v := typed.Duration; v.Line > 0 {
		d, err := cli.SpanWithin("duration", v.Text, time.Millisecond)
		l.MaxDurationMS = d.Milliseconds()
		bad(v, err)
	}
	if v := typed.Cost; v.Line > 0 {
		usd, err := strconv.ParseFloat(strings.TrimPrefix(v.Text, "$"), 64)
		if err != nil || !(usd > 0) || math.IsInf(usd, 0) {
			bad(v, cli.Fail(cli.Usage, "cost %q is no amount; dollars above zero are, such as 0.50", v.Text))
		}
		l.MaxCostUSD = usd
	}
	return l, faults
}
