package main

import (
	"context"
	"slices"
	"strconv"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	urfave "github.com/urfave/cli/v3"
)

func helpCommand() *urfave.Command {
	return &urfave.Command{
		Name:          "help",
		Usage:         "print what --help prints, of all or of one command",
		ArgsUsage:     "[COMMAND...]",
		ShellComplete: completeNames,
		Action:        help,
	}
}

// help runs the command named with --help in place of all else. It begins
// anew: in the context of this command the other would be named below it.
func help(_ context.Context, c *urfave.Command) error {
	about := c.Args().Slice()
	if len(about) > 0 && !slices.Contains(names(), about[0]) {
		return cli.Fail(cli.Usage, "there is no command %q%s", about[0], meant(strconv.Quote, about[0], names())).WithTry("agent-runs --help")
	}
	args := slices.Concat([]string{c.Root().Name}, about, []string{"--help"})
	return command(args).Run(context.Background(), args)
}

// names are those of all commands.
func names() (all []string) {
	for _, known := range commands() {
		all = append(all, known.name)
	}
	return all
}
