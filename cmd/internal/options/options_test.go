package options_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/cmd/internal/options"
	"github.com/stretchr/testify/require"
)

var known = []options.Option{options.Text("name", "a `NAME`"), options.Texts("env", "set `K=V`"), options.Toggle("wait", "", "wait"), options.Toggle("quiet", "q", "say `little`")}

func TestLinesAreRead(t *testing.T) {
	for _, x := range []struct {
		line, words string
		ended       bool
		name, env   string
		quiet       bool
	}{
		{line: "a b", words: "a b"},
		{line: "--name x a", words: "a", name: "x"},
		{line: "a --name=x -q b", words: "a b", name: "x", quiet: true},
		{line: "-name x --quiet", name: "x", quiet: true},
		{line: "--name x --name y", name: "y"},
		{line: "--name= a", words: "a"},
		{line: "--name -- -- a", words: "a", ended: true, name: "--"},
		{line: "a -- --name x", words: "a --name x", ended: true},
		{line: "--", ended: true},
		{line: "--env K=V --env L=1,2 -", words: "-", env: "K=V L=1,2"},
		{line: "-5 --name x -- y", words: "-5 --name x -- y"},
		{line: "-q=false a", words: "a"},
		{line: "--quiet=true a", words: "a", quiet: true},
	} {
		l, err := options.Read(known, strings.Fields(x.line))
		require.NoError(t, err, x.line)
		require.Equal(t, x.words, strings.Join(l.Words, " "), x.line)
		require.Equal(t, x.ended, l.Ended, x.line)
		require.Equal(t, x.name, l.String("name"), x.line)
		require.Equal(t, strings.Contains(x.line, "name") && !strings.HasPrefix(x.line, "-5") && !strings.HasPrefix(x.line, "a --"+" "), l.IsSet("name"), x.line)
		require.Equal(t, x.env, strings.Join(l.StringSlice("env"), " "), x.line)
		require.Equal(t, x.quiet, l.Bool("quiet"), x.line)
		require.False(t, l.Bool("wait"), x.line)
	}
}

func TestBadLinesAreTold(t *testing.T) {
	for line, says := range map[string]string{
		"--nome x":     "there is no flag --nome; did you mean --name?",
		"a -x":         "there is no flag -x",
		"---":          "there is no flag --",
		"-qw":          "there is no flag --qw; did you mean -q?",
		"a --name":     "--name needs a value",
		"--wait=maybe": `--wait "maybe" is none; true and false are accepted`,
		"--quiet= a":   `--quiet "" is none; true and false are accepted`,
	} {
		_, err := options.Read(known, strings.Fields(line))
		var e *options.Error
		require.True(t, errors.As(err, &e), line)
		require.Equal(t, says, e.Text, line)
	}
}

func TestHelpAndCompletion(t *testing.T) {
	var b strings.Builder
	p := options.Program{Name: "p", Usage: "does it", Forms: []string{"p A", "p B"}, Version: "1", Description: "one\n\ntwo", Options: known}
	require.NoError(t, p.Help(&b))
	require.Equal(t, `NAME:
   p - does it

USAGE:
   p A
   p B

VERSION:
   1

DESCRIPTION:
   one

   two

OPTIONS:
   --name NAME              a NAME
   --env K=V [ --env K=V ]  set K=V
   --wait                   wait
   --quiet, -q              say little
`, b.String())
	values := map[string]func(io.Writer){"name": func(w io.Writer) { fmt.Fprintln(w, "Jo") }}
	for typed, offered := range map[string]string{"--name": "Jo\n", "name": "", "": "", "x": "", "-": "--name:a NAME\n--env:set K=V\n--wait:wait\n--quiet:say little\n", "--wa": "--wait:wait\n", "--wait": ""} {
		b.Reset()
		options.Complete(&b, known, values, typed)
		require.Equal(t, offered, b.String(), typed)
	}
}
