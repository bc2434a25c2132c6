package main

import (
	"io"
	"os"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/options"
	"github.com/agent-runs/agent-runs/journal"
)

// what tells a prompt from a command: only what is behind "--" is one.
func (r *request) what(c *options.Line) error {
	words := c.Words
	if c.Ended {
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
func (r *request) plain(c *options.Line, words []string) error {
	for _, f := range agentFlags() {
		if c.IsSet(f.Name) {
			return cli.Fail(cli.Usage, "--%s is for agents, but behind \"--\" is a command", f.Name).WithTry("delegate --%s … PROMPT, or delegate -- COMMAND without it", f.Name)
		}
	}
	if len(words) == 0 || words[0] == "" {
		return cli.Fail(cli.Usage, "no command to run").WithTry("delegate -- COMMAND [ARG...]")
	}
	r.argv = words
	return nil
}

// promptOf is the prompt, checked to survive being written down.
func promptOf(c *options.Line, words []string) (string, error) {
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
