package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/talk"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	urfave "github.com/urfave/cli/v3"
)

func answerCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "answer",
		Usage:     "answer an agent's question",
		ArgsUsage: "ID QUESTION [--] ALLOW|DENY|TEXT",
		Description: `QUESTION is the question's id, or the beginning of it that no other has. A
permission is answered with allow or deny, a choice with one of its options. The
first answer holds; the same one once more does no harm. Exits 3 if the run has
not asked QUESTION, and 4 if it has another answer already.`,
		Flags:         append(actorFlags(forceWords), jsonFlag()),
		ShellComplete: completeAnswer,
		Action:        answer,
	}
}

// completeAnswer offers runs, then the open questions of the run, then what
// answers the question.
func completeAnswer(ctx context.Context, c *urfave.Command) {
	if !c.Args().Present() || strings.HasPrefix(c.Args().Get(c.Args().Len()-1), "-") {
		completeRuns(ctx, c)
		return
	}
	_, _, v, err := agentTarget(c, c.Args().First())
	if err != nil {
		return
	}
	for _, q := range v.OpenQuestions() {
		switch {
		case !cli.PlainWord(q.ID):
		case c.Args().Len() == 1:
			fmt.Fprintf(c.Root().Writer, "%s:%s\n", q.ID, talk.Asking(q))
		case c.Args().Get(1) == q.ID && q.Kind == agent.QuestionPermission:
			fmt.Fprintln(c.Root().Writer, "allow\ndeny")
		}
	}
}

func answer(ctx context.Context, c *urfave.Command) error {
	if n := c.Args().Len(); n != 3 {
		return cli.Fail(cli.Usage, "%s takes a run, a question and an answer, but got %d arguments", c.FullName(), n).WithTry("%s ID QUESTION allow|deny|'TEXT'", c.FullName())
	}
	h, a, v, err := agentTarget(c, c.Args().First())
	if err != nil {
		return err
	}
	q, err := questionOf(v, c.Args().Get(1))
	if err != nil && v.Phase != journal.PhaseTerminal {
		q, err = questionOf(talk.Now(h, v), c.Args().Get(1))
	}
	if err != nil {
		return err
	}
	text, err := answerTo(q, c.Args().Get(2))
	if err != nil {
		return err
	}
	if q.Answer != "" && q.Answer != text {
		return cli.Fail(cli.Refused, "question %s was answered already: %s", q.ID, q.Answer)
	}
	if q.Answer == text {
		return answeredBefore(c, v, q)
	}
	if err := alive(v); err != nil {
		return err
	}
	m := newMessage(h, a, v, journal.Command{Action: journal.ActionAnswer, Question: q.ID, Text: text})
	if err := m.settle(ctx); err != nil {
		// What was seen may have been older than an answer just like ours.
		if v, e := cli.Brief(h, v.ID); e == nil {
			if q, e := questionOf(v, q.ID); e == nil && q.Answer == text {
				return answeredBefore(c, v, q)
			}
		}
		return err
	}
	return m.done(c.Bool("json"), "answered")
}

// answeredBefore tells that there was nothing left to do.
func answeredBefore(c *urfave.Command, v cli.View, q journal.Question) error {
	if c.Bool("json") {
		return cli.PrintJSON(map[string]any{"version": cli.ViewVersion, "id": v.ID, "state": "delivered"})
	}
	fmt.Fprintf(os.Stderr, "question %s has this answer already\n", q.ID)
	return nil
}

// questionOf finds the question that a person means.
func questionOf(v cli.View, ref string) (journal.Question, error) {
	var found []journal.Question
	if v.Conversation != nil && ref != "" {
		for _, q := range v.Conversation.Questions {
			if q.ID == ref {
				return q, nil
			}
			if strings.HasPrefix(q.ID, ref) {
				found = append(found, q)
			}
		}
	}
	switch len(found) {
	case 0:
		return journal.Question{}, cli.Fail(cli.NotFound, "run %s has not asked %q", v.ID, ref).WithTry("agent-runs questions %s", v.ID)
	case 1:
		return found[0], nil
	}
	var ids []string
	for _, q := range found {
		ids = append(ids, q.ID)
	}
	return journal.Question{}, cli.Fail(cli.Usage, "%q means several questions: %s", ref, cli.Some(ids)).WithTry("the whole id")
}

// answerTo checks an answer against what was asked.
func answerTo(q journal.Question, text string) (string, error) {
	accepted := q.Options
	switch q.Kind {
	case agent.QuestionPermission:
		accepted = []string{journal.PermissionAllow, journal.PermissionDeny}
	case agent.QuestionChoice:
		accepted = append(accepted, journal.PermissionDeny) // none of them
	default:
		return text, cli.CheckText("the answer", text)
	}
	for _, option := range accepted {
		if option == text {
			return option, nil
		}
	}
	for _, option := range accepted {
		if strings.EqualFold(option, text) {
			return option, nil
		}
	}
	return "", cli.Fail(cli.Usage, "the answer %q is none; accepted are %s", cli.Shorten(text, 40), strings.Join(accepted, ", "))
}
