package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	urfave "github.com/urfave/cli/v3"
)

// stopped is what became of one order, as stop --json prints it.
type stopped struct {
	ID        string             `json:"id"`
	Name      string             `json:"name,omitempty"`
	Status    string             `json:"status"`
	Cause     string             `json:"cause,omitempty"`
	Tree      string             `json:"tree"`
	Code      *int               `json:"code"`
	Signal    *int               `json:"signal"`
	EndedAt   *time.Time         `json:"endedAt"`
	Already   bool               `json:"already"` // it was over before the order
	Leftovers []journal.Leftover `json:"leftovers"`
	Members   []launch.Member    `json:"members,omitempty"` // still alive
	Error     string             `json:"error,omitempty"`
}

func reportStops(c *urfave.Command, h journal.Home, list []*ending) error {
	report := struct {
		Version int       `json:"version"`
		Runs    []stopped `json:"runs"`
	}{cli.ViewVersion, []stopped{}}
	var failures []*cli.Error
	for _, e := range list {
		line, s, failure := e.outcome(h, c.Bool("no-wait"))
		if failure != nil {
			s.Error = failure.Msg
			failures = append(failures, failure)
		}
		report.Runs = append(report.Runs, s)
		switch {
		case c.Bool("json"):
		case c.Bool("quiet"):
			fmt.Println(s.ID)
		case failure == nil:
			fmt.Println(line)
		}
	}
	if c.Bool("json") {
		if err := cli.PrintJSON(report); err != nil {
			return err
		}
	} else if len(list) == 0 {
		fmt.Fprintln(os.Stderr, "there is nothing to stop")
	}
	return cli.Worst(failures)
}

// outcome says what was proven, in a line for people, a record for programs
// and, where it was not enough, a failure.
func (e *ending) outcome(h journal.Home, noWait bool) (string, stopped, *cli.Error) {
	id := e.before.ID
	v, err := cli.Load(h, id)
	var fail *cli.Error
	if errors.As(err, &fail) && fail.Code == cli.NotFound {
		v, err = e.before, nil // removed meanwhile, which only what is over can be
	}
	if err != nil {
		return "", stopped{ID: id}, cli.Fail(cli.RunFailed, "%v", err)
	}
	s := stopped{ID: id, Name: v.Name, Status: v.Status, Cause: v.Cause, Tree: v.Tree.State, EndedAt: v.EndedAt, Already: !e.ordered,
		Leftovers: []journal.Leftover{}, Members: v.Tree.Members}
	if v.Exit != nil {
		s.Code, s.Signal, s.Leftovers = v.Exit.Code, v.Exit.Signal, v.Exit.Leftovers
	}
	if v.Plan != nil && v.Phase == journal.PhaseTerminal {
		line, failure := e.planOver(h, v)
		return line, s, failure
	}
	switch {
	case v.Phase == journal.PhaseTerminal && v.Proven():
		return e.overLine(v), s, nil
	case v.Phase == journal.PhaseTerminal:
		return "", s, unproven(v, "")
	case e.admission == nil:
		return "", s, unproven(v, "the order was not answered in time; it stands")
	case e.admission.State != journal.Accepted:
		return "", s, cli.Fail(cli.Refused, "run %s: %s: %s", id, e.admission.State, e.admission.Reason)
	case noWait:
		return id + " stopping", s, nil
	default:
		return "", s, unproven(v, "it goes on being stopped")
	}
}

// planOver says how a plan ended: its tasks are what may be unproven.
func (e *ending) planOver(h journal.Home, v cli.View) (string, *cli.Error) {
	tasks, err := cli.Tasks(h, v)
	if err != nil {
		return "", cli.Fail(cli.RunFailed, "%v", err)
	}
	count := map[string]int{}
	var left []string
	for _, t := range tasks {
		count[t.Status]++
		if !t.Proven {
			left = append(left, t.ID+" "+t.RunID)
		}
	}
	if len(left) > 0 {
		return "", cli.Fail(cli.Unproven, "plan %s (%s): the end of tasks is unproven: %s", v.ID, v.Status, cli.Some(left)).WithTry("agent-runs inspect %s", v.ID)
	}
	var words []string
	for _, status := range slices.Sorted(maps.Keys(count)) {
		words = append(words, fmt.Sprintf("%d %s", count[status], status))
	}
	line := v.ID + " " + v.Status
	if !e.ordered {
		line += e.already(v)
	}
	return line + ", tasks: " + strings.Join(words, ", "), nil
}

// already says since when a run has been over.
func (e *ending) already(v cli.View) string {
	if v.EndedAt == nil {
		return ", already"
	}
	return ", already since " + cli.Stamp(*v.EndedAt) + " (" + cli.Age(*v.EndedAt, time.Now()) + " ago)"
}

// overLine says how the run ended and what was proven of its tree.
func (e *ending) overLine(v cli.View) string {
	line := v.ID + " " + v.Ending()
	if v.Cause == journal.CauseCancelled && v.Exit != nil {
		line = v.ID + " " + v.Status + " (" + exitWords(*v.Exit) + ")"
	}
	if !e.ordered {
		line += e.already(v)
	}
	switch {
	case v.Exit == nil:
		return line + ", never started"
	default:
		line += ", tree empty"
	}
	if cleared := cli.Leftovers(v.Exit.Leftovers, true); cleared != "" {
		line += ", cleared: " + cleared
	}
	return line
}

// exitWords says how a child ended that was told to.
func exitWords(e journal.Exit) string {
	switch {
	case e.Signal != nil:
		return e.SignalName
	case e.Code != nil:
		return fmt.Sprintf("exit code %d", *e.Code)
	case e.LaunchError != nil:
		return e.LaunchError.Stage
	}
	return "exit code unknown"
}

// unproven names who is left or, where nobody can be named, says why.
func unproven(v cli.View, more string) *cli.Error {
	named := false
	msg := fmt.Sprintf("run %s (%s): its end is unproven", v.ID, v.Status)
	if s := cli.Members(v.Tree.Members); s != "" {
		msg, named = msg+"; alive: "+s, true
	}
	if v.Exit != nil {
		if s := cli.Leftovers(v.Exit.Leftovers, false); s != "" {
			msg, named = msg+"; not seen to end: "+s, true
		}
	}
	if doubt := v.Doubt(); doubt != "" && !named {
		msg += "; " + doubt
	}
	if more != "" {
		msg += "; " + more
	}
	return cli.Fail(cli.Unproven, "%s", msg).WithTry("agent-runs inspect %s", v.ID)
}
