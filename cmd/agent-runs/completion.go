package main

import (
	"context"
	"os"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	urfave "github.com/urfave/cli/v3"
)

const completionWords = `Prints a script that completes both agent-runs and delegate:

  bash   source <(agent-runs completion bash)
  zsh    source <(agent-runs completion zsh)
  fish   agent-runs completion fish | source`

func completionCommand() *urfave.Command {
	c := &urfave.Command{
		Name:        "completion",
		Usage:       "print a shell completion script",
		Description: completionWords,
		Action:      noCommand,
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		c.Commands = append(c.Commands, &urfave.Command{
			Name:  shell,
			Usage: "print the script for " + shell,
			Action: func(ctx context.Context, c *urfave.Command) error {
				if err := noArguments(c); err != nil {
					return err
				}
				return printCompletion(ctx, c.Name)
			},
		})
	}
	return c
}

// printCompletion lets the flag library write its script once for each
// program: the scripts ask the programs themselves what there is.
func printCompletion(ctx context.Context, shell string) error {
	for _, program := range []string{"agent-runs", "delegate"} {
		c := &urfave.Command{Name: program, EnableShellCompletion: true, Writer: os.Stdout}
		if err := c.Run(ctx, []string{program, "completion", shell}); err != nil {
			return cli.Fail(cli.RunFailed, "%s completion: %s", program, strings.TrimSpace(err.Error()))
		}
	}
	return nil
}
