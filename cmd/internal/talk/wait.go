package talk

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

// Wait returns when the run is over. Meanwhile people are told on stderr what
// it does, if that is a terminal, and what it asks, wherever they are.
func Wait(ctx context.Context, h journal.Home, l *journal.Launch) error {
	p := &Printer{To: io.Discard, Brief: true}
	r, err := Open(h, l, p.Ear())
	if err != nil {
		return supervisor.Await(ctx, h, func() (bool, error) { return cli.Over(h, l.ID) })
	}
	defer r.Close()
	told := map[string]bool{}
	return supervisor.AwaitChange(ctx, h, func() (bool, error) {
		over, err := cli.Over(h, l.ID)
		if err == nil {
			err = r.Advance()
		}
		if err == nil && !over && l.Agent.Permission == journal.PermissionAsk {
			tellQuestions(l.ID, r, told)
		}
		if cli.IsTerminal(os.Stderr) { // from now on: what was before is no news
			p.To = os.Stderr
		}
		return over, errors.Join(err, p.Err)
	}, h.Run(l.ID))
}

func tellQuestions(id string, r *Reader, told map[string]bool) {
	for _, q := range r.State().Open() {
		if !told[q.ID] {
			told[q.ID] = true
			fmt.Fprintf(os.Stderr, "the agent asks: %s\nTry: %s\n", Asking(q), HowToAnswer(id, q))
		}
	}
}

// Asking is a question in a line.
func Asking(q journal.Question) string {
	words := OneLine(q.Text)
	if q.Tool != "" {
		words = strings.TrimRight(OneLine(q.Tool)+": "+words, ": ")
	}
	if len(q.Options) > 0 {
		words += " (" + OneLine(strings.Join(q.Options, " | ")) + ")"
	}
	return harmless(words)
}

// HowToAnswer is the command that answers a question.
func HowToAnswer(id string, q journal.Question) string {
	answers := "allow|deny"
	if q.Kind != "permission" {
		answers = "TEXT"
	}
	return fmt.Sprintf("agent-runs answer %s %s %s", id, cli.CommandLine([]string{q.ID}, 200), answers)
}

// Finish prints the last word of a run that is over, or all there is to say of
// it as JSON, and turns its end into ours.
func Finish(h journal.Home, id string, asJSON, quiet bool) error {
	v, err := cli.Load(h, id)
	if err != nil {
		return err
	}
	switch {
	case asJSON:
		err = cli.PrintJSON(v)
	case !quiet && v.FinalText != nil && *v.FinalText != "":
		_, err = io.WriteString(os.Stdout, strings.TrimRight(*v.FinalText, "\n")+"\n")
	}
	switch {
	case err != nil:
		return err
	case v.Status == journal.StatusCompleted:
		return nil
	case asJSON || quiet:
		return &cli.Error{Code: cli.RunFailed}
	default:
		return v.Failure()
	}
}
