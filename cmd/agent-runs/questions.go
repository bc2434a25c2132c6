package main

import (
	"context"
	"fmt"
	"os"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/talk"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

func questionsCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "questions",
		Usage:     "list what agents want to be told before they go on",
		ArgsUsage: "[ID]",
		Description: `Of all live runs of one's own, or of one. An agent asks where it was started with
--permission ask; "agent-runs answer" answers.`,
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "all", Usage: "list the questions of every owner's runs"},
			&urfave.StringFlag{Name: "owner", Usage: "list those of `OWNER`'s runs (default: one's own)"},
			jsonFlag(),
		},
		ShellComplete: completeRuns,
		Action:        questions,
	}
}

// asked is a question with the run that waits for its answer.
type asked struct {
	Run  string `json:"run"`
	Name string `json:"name,omitempty"`
	journal.Question
}

func questions(_ context.Context, c *urfave.Command) error {
	if c.Args().Len() > 1 {
		return cli.Fail(cli.Usage, "%s takes one run at most, but got %d", c.FullName(), c.Args().Len())
	}
	if c.Bool("all") && c.IsSet("owner") {
		return cli.Fail(cli.Usage, "--all and --owner exclude each other")
	}
	a, err := actorOf(c)
	if err != nil {
		return err
	}
	h, err := cli.ReaderHome()
	if err != nil {
		return err
	}
	runs, err := askers(c, h, a)
	if err != nil {
		return err
	}
	open := []asked{}
	for _, v := range runs {
		for _, q := range v.OpenQuestions() {
			open = append(open, asked{v.ID, v.Name, q})
		}
	}
	if c.Bool("json") {
		return cli.PrintJSON(map[string]any{"version": cli.ViewVersion, "questions": open})
	}
	return printQuestions(open)
}

// askers are the runs to look at: the one that was named, or all live ones.
func askers(c *urfave.Command, h journal.Home, a actor) ([]cli.View, error) {
	if c.Args().Present() {
		id, err := cli.Resolve(h, c.Args().First(), a.owner)
		if err != nil {
			return nil, err
		}
		v, err := cli.Brief(h, id)
		return []cli.View{v}, err
	}
	live, err := cli.Live(h)
	if err != nil || c.Bool("all") {
		return live, err
	}
	var own []cli.View
	for _, v := range live {
		if v.Owner == a.owner {
			own = append(own, v)
		}
	}
	return own, nil
}

func printQuestions(open []asked) error {
	if len(open) == 0 {
		fmt.Fprintln(os.Stderr, "no open questions")
		return nil
	}
	for _, q := range open {
		run := q.Run
		if q.Name != "" {
			run += " " + label(q.Name)
		}
		_, err := fmt.Printf("%s %s: %s\n  %s\n", run, q.Kind, talk.Asking(q.Question), talk.HowToAnswer(q.Run, q.Question))
		if err != nil {
			return err
		}
	}
	return nil
}
