package main

import (
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/journal"
	urfave "github.com/urfave/cli/v3"
)

// what tells a prompt from a command: only what is behind "--" is one.
func (r *request) what(c *urfave.Command, args []string) error {
	words := c.Args().Slice()
	if dashed(c, args) {
		return r.plain(c, words)
	}
	prompt, err := promptOf(c, words)
	if err != nil {
		return err
	}
	if c.IsSet("stdin") {
		return cli.Fail(cli.Usage, "--stdin is for commands: an agent's stdin is how it is spoken with").WithTry("- instead of the prompt reads the prompt from stdin")
	}
	r.agent = &agentAsk{Agent: journal.Agent{Prompt: prompt}}
	return r.agent.parse(commandLine{c}, &r.limits)
}

// plain is a command as it is.
func (r *request) plain(c *urfave.Command, words []string) error {
	for _, f := range agentFlags() {
		if name := f.Names()[0]; c.IsSet(name) {
			return cli.Fail(cli.Usage, "--%s is for agents, but behind \"--\" is a command", name).WithTry("delegate --%s … PROMPT, or delegate -- COMMAND without it", name)
		}
	}
	if len(words) == 0 || words[0] == "" {
		return cli.Fail(cli.Usage, "no command to run").WithTry("delegate -- COMMAND [ARG...]")
	}
	r.argv = words
	return nil
}

// dashed reports whether "--" ended the options, as the flag library reads
// them; it does not tell itself. args begin with the program's name.
func dashed(c *urfave.Command, args []string) bool {
	takesValue := map[string]bool{}
	for _, f := range c.Flags {
		_, isBool := f.(*urfave.BoolFlag)
		for _, name := range f.Names() {
			takesValue[name] = !isBool
		}
	}
	for i := 1; i < len(args); i++ {
		a := strings.TrimSpace(args[i])
		switch {
		case a == "--":
			return true
		case len(a) < 2 || a[0] != '-':
		case a[1] != '-' && !unicode.IsLetter([]rune(a[1:])[0]):
			return false // it reads no more options either
		case !strings.Contains(a, "="):
			name := strings.TrimPrefix(a[1:], "-")
			if takesValue[name] {
				i++
			}
		}
	}
	return false
}

// promptOf is the prompt, checked to survive being written down.
func promptOf(c *urfave.Command, words []string) (string, error) {
	prompt, field := "", "the prompt"
	switch {
	case c.IsSet("prompt") && len(words) > 0:
		return "", cli.Fail(cli.Usage, "there are two prompts, --prompt and %q", cli.Shorten(words[0], 40)).WithTry("one of them, or delegate -- COMMAND [ARG...] for a command")
	case c.IsSet("prompt"):
		prompt, field = c.String("prompt"), "--prompt"
	case len(words) == 0:
		return "", cli.Fail(cli.Usage, "there is nothing to do: neither a prompt nor a command").WithTry("delegate PROMPT for an agent, or delegate -- COMMAND [ARG...]")
	case len(words) > 1:
		line := cli.CommandLine(words, 200)
		return "", cli.Fail(cli.Usage, "a prompt is one argument, but there are %d words, beginning with %q", len(words), cli.Shorten(words[0], 40)).
			WithTry("delegate %s for an agent, or delegate -- %s for a command", cli.CommandLine([]string{strings.Join(words, " ")}, 200), line)
	case words[0] == "-":
		body, err := io.ReadAll(io.LimitReader(os.Stdin, journal.MaxRecordBytes+1))
		if err != nil {
			return "", cli.Fail(cli.Usage, "the prompt cannot be read from stdin: %v", err)
		}
		prompt, field = string(body), "the prompt on stdin"
	default:
		prompt = words[0]
	}
	return prompt, cli.CheckText(field, prompt)
}
