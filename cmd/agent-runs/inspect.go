package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/talk"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

func inspectCommand() *urfave.Command {
	return &urfave.Command{
		Name:        "inspect",
		Usage:       "show everything about one run",
		ArgsUsage:   "ID",
		Description: "With --offset or --length shows a page of the run's final text instead: the last\nword of an agent, the stdout of a plain command. Pages begin and end between two characters.",
		Flags: []urfave.Flag{
			&urfave.Int64Flag{Name: "offset", Usage: "begin the page at byte `N`"},
			&urfave.Int64Flag{Name: "length", Value: cli.DefaultPage, Usage: "end the page after about `N` bytes"},
			jsonFlag(),
		},
		ShellComplete: completeRuns,
		Action:        inspect,
	}
}

func inspect(_ context.Context, c *urfave.Command) error {
	ref, err := oneRun(c)
	if err != nil {
		return err
	}
	if err := cli.CheckPage(c.Int64("offset"), c.Int64("length"), cli.MaxPage); err != nil {
		return err
	}
	owner, err := cli.Owner("")
	if err != nil {
		return err
	}
	h, err := cli.ReaderHome()
	if err != nil {
		return err
	}
	id, err := cli.Resolve(h, ref, owner)
	if err != nil {
		return err
	}
	v, err := cli.Load(h, id)
	if err != nil {
		return err
	}
	if v.Plan != nil {
		return inspectPlan(c, h, v)
	}
	if c.IsSet("offset") || c.IsSet("length") {
		return inspectText(c, h, v)
	}
	if c.Bool("json") {
		return cli.PrintJSON(v)
	}
	if err := printSheet(v); err != nil || v.Phase == journal.PhaseTerminal {
		return err
	}
	return cli.NoteUnattended(h)
}

// pagedView is a view with a page of the final text.
type pagedView struct {
	cli.View
	Text string   `json:"text"`
	Page cli.Page `json:"page"`
}

func inspectText(c *urfave.Command, h journal.Home, v cli.View) error {
	text, page, err := finalText(h, v, c.Int64("offset"), c.Int64("length"))
	if err != nil {
		return err
	}
	v.FinalText = nil // the page is what was asked for
	if c.Bool("json") {
		return cli.PrintJSON(pagedView{v, string(text), page})
	}
	if _, err := os.Stdout.Write(text); err != nil {
		return err
	}
	end := page.Offset + page.Length
	if page.Next == nil {
		fmt.Fprintf(os.Stderr, "\nbytes %d to %d, the end\n", page.Offset, end)
	} else if v.IsAgent() {
		fmt.Fprintf(os.Stderr, "\nbytes %d to %d; go on with --offset %d\n", page.Offset, end, *page.Next)
	} else {
		fmt.Fprintf(os.Stderr, "\nbytes %d to %d of %d so far; go on with --offset %d\n", page.Offset, end, max(end, v.Output.Stdout.Bytes), *page.Next)
	}
	return nil
}

// finalText is what a run came to say. A plain command says it on stdout.
func finalText(h journal.Home, v cli.View, offset, length int64) ([]byte, cli.Page, error) {
	if v.IsAgent() {
		said, err := talk.FinalText(h, v)
		if err != nil {
			return nil, cli.Page{}, err
		}
		text, page, err := cli.PageOfText(said, offset, length, v.Phase != journal.PhaseTerminal)
		return []byte(text), page, err
	}
	f, err := os.Open(h.File(v.ID, journal.StdoutFile))
	growing := v.Phase != journal.PhaseTerminal
	if errors.Is(err, fs.ErrNotExist) {
		page := cli.Page{}
		if growing {
			page.Next = new(int64)
		}
		return nil, page, nil
	}
	if err != nil {
		return nil, cli.Page{}, err
	}
	defer f.Close()
	page, err := cli.PageOf(f, offset, length, growing)
	if err != nil {
		return nil, page, err
	}
	text, err := page.Read(f)
	return text, page, err
}
