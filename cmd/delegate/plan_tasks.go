package main

import (
	"cmp"
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

// check makes work of the tasks and refuses what is bad in any of them, all of
// it at once.
func (r *planRequest) check(c *options.Line, p *plan.Plan) error {
	if err := r.nameOf(c, p); err != nil {
		return err
	}
	var faults plan.Faults
	r.limits, faults = limitsOf(p.Limits)
	prefs := newPreferences()
	r.tasks = make([]task, len(p.Tasks))
	for i := range p.Tasks {
		t := &r.tasks[i]
		t.Task = p.Tasks[i]
		o := layered{t.Options, p.Defaults, commandLine{c}, t.Prompt == ""}
		if err := t.prepare(r, o, prefs); err != nil {
			faults = append(faults, faultOf(t, 0, err))
		}
	}
	if len(faults) > 0 {
		slices.SortStableFunc(faults, func(a, b plan.Fault) int { return cmp.Compare(a.Line, b.Line) })
		return r.told(faults)
	}
	return nil
}

func (t *task) prepare(r *planRequest, o layered, prefs *preferences) error {
	t.task, t.work.argv = t.ID, t.Command
	if t.Prompt != "" {
		if err := cli.CheckText("prompt", t.Prompt); err != nil {
			return err
		}
		t.agent = &agentAsk{Agent: journal.Agent{Prompt: t.Prompt}}
		if t.IsSet("stdin") {
			return cli.Fail(cli.Usage, "%s is for commands: an agent's stdin is how it is spoken with", t.Field("stdin"))
		}
		if err := t.agent.parse(o, &t.limits); err != nil {
			return err
		}
	} else if err := t.plainOnly(); err != nil {
		return err
	}
	if t.String("stdin") == "-" {
		return cli.Fail(cli.Usage, "%s \"-\" is for a single run; open and a FILE are accepted", t.Field("stdin"))
	}
	if err := t.work.parse(o, r.cwd, prefs); err != nil {
		return err
	}
	if !o.task.IsSet("name") {
		t.name = r.taskName(t.ID)
	}
	return nil
}

// plainOnly refuses options of agents in a command's own words. Those that hold
// for all tasks are passed over.
func (t *task) plainOnly() error {
	for _, f := range agentFlags() {
		if name := f.Name; t.IsSet(name) {
			return cli.Fail(cli.Usage, "%s is for agents, but the task is a command", t.Field(name))
		}
	}
	return nil
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
