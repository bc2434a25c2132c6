package main

import (
	"errors"
	"testing"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

func TestAnswersAreCheckedAgainstTheQuestion(t *testing.T) {
	permission := journal.Question{Kind: "permission"}
	choice := journal.Question{Kind: "choice", Options: []string{"Yes", "yes", "No way"}}
	text := journal.Question{Kind: "text"}
	for _, x := range []struct {
		question    journal.Question
		given, want string
		refused     string
	}{
		{permission, "allow", "allow", ""},
		{permission, "DENY", "deny", ""},
		{permission, "yes", "", `the answer "yes" is none; accepted are allow, deny`},
		{choice, "yes", "yes", ""},
		{choice, "no WAY", "No way", ""},
		{choice, "deny", "deny", ""},
		{choice, "maybe", "", "accepted are Yes, yes, No way, deny"},
		{text, "Allow me to say this", "Allow me to say this", ""},
		{text, " ", "", "the answer is empty"},
	} {
		got, err := answerTo(x.question, x.given)
		if x.refused != "" {
			require.ErrorContains(t, err, x.refused)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, x.want, got)
	}
}

func TestQuestionsAreMeantByTheBeginningOfTheirId(t *testing.T) {
	v := cli.View{ID: "RUN"}
	_, err := questionOf(v, "q")
	require.ErrorContains(t, err, `run RUN has not asked "q"`)
	v.Conversation = &journal.Conversation{Questions: []journal.Question{{ID: "7"}, {ID: "77"}, {ID: "abc"}, {ID: "abd"}}}
	for ref, want := range map[string]string{"7": "7", "77": "77", "abc": "abc", "abd": "abd"} {
		q, err := questionOf(v, ref)
		require.NoError(t, err)
		require.Equal(t, want, q.ID)
	}
	for ref, code := range map[string]int{"ab": cli.Usage, "": cli.NotFound, "x": cli.NotFound} {
		_, err := questionOf(v, ref)
		var e *cli.Error
		require.True(t, errors.As(err, &e))
		require.Equal(t, code, e.Code, ref)
	}
}
