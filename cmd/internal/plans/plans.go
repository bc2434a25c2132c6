// Package plans tells of plans: what a receipt says, what was over when a wait
// ended, and how a plan's end becomes the end of a command.
package plans

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
)

// View is a plan with its tasks, as inspect --json prints it.
type View struct {
	cli.View
	Tasks    []cli.Task `json:"tasks"`
	Finished []string   `json:"finished,omitempty"` // the ids of the tasks that ended while they were waited for
}

// Load reads a plan and its tasks.
func Load(h journal.Home, id string) (View, error) {
	v, err := cli.Load(h, id)
	if err != nil {
		return View{}, err
	}
	return With(h, v)
}

// With adds the tasks to the view of a plan.
func With(h journal.Home, v cli.View) (View, error) {
	tasks, err := cli.Tasks(h, v)
	return View{View: v, Tasks: tasks}, err
}

// Manner is how a command tells of a plan.
type Manner struct{ Wait, JSON, Quiet bool }

// Follow prints the receipt of a plan that was posted or, where that is wanted,
// waits for its end and tells of it.
func Follow(ctx context.Context, h journal.Home, l *journal.Launch, m Manner) error {
	if m.Wait {
		return wait(ctx, h, l, m)
	}
	if err := cli.AwaitStart(ctx, h, l); err != nil {
		return interrupted(l.ID, err)
	}
	if m.JSON {
		v, err := Load(h, l.ID)
		if err != nil {
			return err
		}
		return cli.PrintJSON(v)
	}
	if _, err := fmt.Println(l.ID); err != nil {
		return cli.Fail(cli.RunFailed, "plan %s goes on, but its id could not be printed: %v", l.ID, err)
	}
	if !m.Quiet {
		fmt.Fprintf(os.Stderr, "%s; see agent-runs inspect %s\n", started(l.Plan), l.ID)
	}
	return nil
}

func started(p *journal.Plan) string {
	n := 0
	for _, t := range p.Tasks {
		if !t.Done {
			n++
		}
	}
	if n == 1 {
		return "started a plan of 1 task"
	}
	return fmt.Sprintf("started a plan of %d tasks", n)
}

func wait(ctx context.Context, h journal.Home, l *journal.Launch, m Manner) error {
	switch {
	case m.Quiet:
		fmt.Println(l.ID)
	case !m.JSON:
		fmt.Fprintln(os.Stderr, "plan "+l.ID)
	}
	if err := supervisor.Await(ctx, h, func() (bool, error) { return cli.Over(h, l.ID) }); err != nil {
		return interrupted(l.ID, err)
	}
	v, err := Load(h, l.ID)
	switch {
	case err != nil:
	case m.JSON:
		err = cli.PrintJSON(v)
	case !m.Quiet:
		err = PrintEnds(os.Stdout, v.Tasks)
	}
	switch {
	case err != nil:
		return err
	case v.Status == journal.StatusCompleted:
		return nil
	case m.JSON || m.Quiet:
		return &cli.Error{Code: cli.RunFailed}
	default:
		return cli.Fail(cli.RunFailed, "plan %s %s", l.ID, v.Ending()).WithTry("agent-runs inspect %s, or agent-runs continue %s", l.ID, l.ID)
	}
}

// PrintEnds prints a line for each task: its id, its run, and how it ended.
func PrintEnds(w io.Writer, tasks []cli.Task) error {
	var b strings.Builder
	for _, t := range tasks {
		fmt.Fprintf(&b, "%s %s %s\n", t.ID, t.RunID, t.Ending)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func interrupted(id string, err error) error {
	if errors.Is(err, context.Canceled) {
		return cli.Fail(cli.Interrupted, "the waiting was interrupted; plan %s goes on", id).WithTry("agent-runs wait %s, or agent-runs stop %s", id, id)
	}
	return fmt.Errorf("plan %s goes on, but: %w", id, err)
}
