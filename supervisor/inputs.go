package supervisor

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/internal/placeholder"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor/inputs"
)

// takeInputs makes durable what a run with needs is started with, before its
// start and once: a supervisor after us starts it with the same.
func (r *run) takeInputs() {
	if len(r.launch.Needs) == 0 || r.launch.Agent == nil && len(namedIn(r.launch)) == 0 {
		return // it is started with what stands in its launch record
	}
	in := journal.Inputs{Version: journal.Version, ID: r.id, At: time.Now().UTC()}
	outputs := r.s.outputs(r.launch)
	if a := r.launch.Agent; a != nil {
		prompt := inputs.Prompt(a.Prompt, outputs)
		in.Prompt = &prompt
	} else {
		in.Argv = inputs.Argv(r.launch.Program.Argv, outputs)
	}
	r.s.insist(r.id, func() error { return journal.WriteOnce(r.s.home.File(r.id, journal.InputsFile), in) })
}

// outputs is what the runs that l needs have come to, in the order of its
// needs, and after them the other tasks of its plan that it names.
func (s *Supervisor) outputs(l journal.Launch) []inputs.Output {
	var list []inputs.Output
	for _, id := range l.Needs {
		list = append(list, s.output(id))
	}
	return append(list, s.farther(l, list)...)
}

// farther is what tasks of the same plan have come to that l names and does
// not need itself: what it needs does.
func (s *Supervisor) farther(l journal.Launch, known []inputs.Output) (list []inputs.Output) {
	if l.PlanID == "" {
		return nil
	}
	var plan *journal.Launch
	for _, ref := range namedIn(l) {
		name := ref.ID
		if name == "" || slices.ContainsFunc(known, func(o inputs.Output) bool { return o.Task == name }) {
			continue
		}
		if plan == nil {
			var err error
			if plan, err = journal.ReadLaunch(s.home, l.PlanID); err != nil || plan.Plan == nil {
				return nil
			}
		}
		for _, t := range plan.Plan.Tasks {
			if t.ID == name {
				o := s.output(t.RunID)
				o.Task = name
				list = append(list, o)
			}
		}
	}
	return list
}

func namedIn(l journal.Launch) []placeholder.Ref {
	if l.Agent != nil {
		return placeholder.Refs(l.Agent.Prompt)
	}
	return placeholder.Refs(strings.Join(l.Program.Argv, " "))
}

// lastWord is what an agent said last, or how the tasks of a plan ended.
func lastWord(r *journal.Result) string {
	if r.FinalText != nil {
		return *r.FinalText
	}
	var lines []string
	for _, t := range r.Tasks {
		lines = append(lines, fmt.Sprintf("%s %s, run %s", t.ID, t.Status, t.RunID))
	}
	return strings.Join(lines, "\n")
}

// output is the last word of an agent, or the end of what a command wrote.
func (s *Supervisor) output(id string) inputs.Output {
	o := inputs.Output{RunID: id}
	if l, err := journal.ReadLaunch(s.home, id); err == nil {
		o.Task, o.Name = l.Task, l.Name
	}
	if result, err := journal.ReadResult(s.home, id); err == nil && (result.FinalText != nil || result.Tasks != nil) {
		o.Text = lastWord(result)
		o.Size = int64(len(o.Text))
		return o
	}
	path := s.home.File(id, journal.StdoutFile)
	info, err := os.Stat(path)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			s.log.Printf("run %s: %v", id, err)
		}
		return o
	}
	text := strings.TrimRight(tail(path, inputs.MaxOutput), "\n")
	o.Text, o.Size = text, info.Size()
	if info.Size() <= inputs.MaxOutput {
		o.Size = int64(len(text))
	}
	return o
}
