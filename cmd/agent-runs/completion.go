package main

import (
	"context"
	"embed"
	"os"

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
			Action: func(_ context.Context, c *urfave.Command) error {
				if err := noArguments(c); err != nil {
					return err
				}
				return printCompletion(c.Name)
			},
		})
	}
	return c
}

// completionScripts are our own: those of the flag library let bash evaluate
// what is typed, redirections and substitutions included.
//
//go:embed completion
var completionScripts embed.FS

// printCompletion prints the script of one shell. It asks the programs
// themselves what there is.
func printCompletion(shell string) error {
	script, err := completionScripts.ReadFile("completion/" + shell)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(script)
	return err
}
