package main

import (
	"context"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/supervisor"
	urfave "github.com/urfave/cli/v3"
)

const description = `Runs are started by "delegate". ID is a run's id, its name, or a unique prefix
of its id of at least four characters. "agent-runs help COMMAND" tells more.

` + cli.ExitCodes

// known is a command by its name.
type known struct {
	name  string
	build func() *urfave.Command
}

// commands are all there are, in the order of the help. They are built only
// when needed: building all takes a good part of what a command takes.
func commands() []known {
	return []known{
		{"list", listCommand}, {"inspect", inspectCommand}, {"logs", logsCommand}, {"wait", waitCommand}, {"stop", stopCommand},
		{"steer", steerCommand}, {"continue", continueCommand}, {"interrupt", interruptCommand}, {"questions", questionsCommand}, {"answer", answerCommand}, {"rm", rmCommand}, {"prune", pruneCommand}, {"events", eventsCommand}, {"completions", completionsCommand}, {"attach", attachCommand}, {"detach", detachCommand}, {"supervisor", supervisorCommand},
		{"runtimes", runtimesCommand}, {"settings", settingsCommand}, {"doctor", doctorCommand}, {"version", versionCommand}, {"completion", completionCommand}, {"help", helpCommand},
	}
}

// command builds the program for these arguments: with the one command they
// name, or with all.
func command(args []string) *urfave.Command {
	root := &urfave.Command{
		Name:            "agent-runs",
		Usage:           "see, steer and end runs that cannot be lost",
		UsageText:       "agent-runs COMMAND [options] [arguments]",
		Description:     description,
		HideHelpCommand: true,
		// The command people use is our own: it covers delegate as well.
		EnableShellCompletion:      cli.Completing(),
		ShellCompletionCommandName: "__completion",
		ExitErrHandler:             func(context.Context, *urfave.Command, error) {},
		Action:                     noCommand,
	}
	if len(args) > 1 && strings.HasPrefix(args[1], "-") {
		root.Version = supervisor.Build()
	}
	root.Commands = called(args)
	finish(root)
	return root
}

func called(args []string) (all []*urfave.Command) {
	for _, c := range commands() {
		if len(args) > 1 && args[1] == c.name {
			return []*urfave.Command{c.build()}
		}
	}
	for _, c := range commands() {
		all = append(all, c.build())
	}
	return all
}

// finish gives every command what all have in common. Flags may stand before
// or after arguments; "--" ends them.
func finish(c *urfave.Command) {
	c.OnUsageError = usageError
	for _, sub := range c.Commands {
		if sub.Description != "" {
			sub.Description += "\n\n"
		}
		sub.Description += cli.ExitCodes
		finish(sub)
	}
}

// noCommand helps those who typed none and refuses what is none.
func noCommand(_ context.Context, c *urfave.Command) error {
	if c.Args().Present() {
		return noSuchCommand(c)
	}
	if c.Root() == c {
		return urfave.ShowRootCommandHelp(c)
	}
	return urfave.ShowSubcommandHelp(c)
}

func jsonFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "json", Usage: "print JSON"}
}

func quietFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print ids only"}
}

// forceWords are what --force means where it means nothing else.
const forceWords = "act on a run of another owner"

// actorFlags are those of commands that act on a run.
func actorFlags(force string) []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "owner", Usage: "act as `OWNER` (default: AGENT_RUNS_OWNER, the calling agent's session, or \"user\")"},
		&urfave.BoolFlag{Name: "force", Usage: force},
	}
}

// noArguments refuses arguments where none are taken.
func noArguments(c *urfave.Command) error {
	if c.Args().Present() {
		return cli.Fail(cli.Usage, "%s takes no arguments, but got %q", c.FullName(), c.Args().First()).WithTry("%s --help", c.FullName())
	}
	return nil
}

// oneRun returns the one argument of commands about one run.
func oneRun(c *urfave.Command) (string, error) {
	if n := c.Args().Len(); n != 1 {
		return "", cli.Fail(cli.Usage, "%s takes one run, but got %d", c.FullName(), n).WithTry("%s --help", c.FullName())
	}
	return c.Args().First(), nil
}

// someRuns returns the arguments of commands about one or more runs.
func someRuns(c *urfave.Command) ([]string, error) {
	if !c.Args().Present() {
		return nil, cli.Fail(cli.Usage, "%s needs the id of a run", c.FullName()).WithTry("agent-runs list")
	}
	return c.Args().Slice(), nil
}
