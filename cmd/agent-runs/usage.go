package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/internal/nearest"
	urfave "github.com/urfave/cli/v3"
)

// usageError turns what the flag library says into one line that names the
// flag, the value and what would be accepted, and into our exit code. The
// library has no types for its errors; words that we do not know are passed on.
func usageError(_ context.Context, c *urfave.Command, err error, _ bool) error {
	return cli.Fail(cli.Usage, "%s", flagWords(c, err.Error())).WithTry("%s --help", c.FullName())
}

// noTopic turns the flag library's complaint about --help for a command that
// there is not into ours; it has no hook for that one.
func noTopic(args []string, err error) error {
	if err == nil {
		return nil
	}
	name, ok := strings.CutPrefix(err.Error(), "No help topic for ")
	if !ok {
		return err
	}
	name = strings.Trim(name, "'")
	var known []string
	if len(args) > 1 && args[1] == name {
		known = names()
	}
	return cli.Fail(cli.Usage, "there is no command %q%s", name, meant(strconv.Quote, name, known)).WithTry("agent-runs --help")
}

// noSuchCommand refuses the first argument, which is none of c's commands.
func noSuchCommand(c *urfave.Command) error {
	var known []string
	for _, sub := range c.Commands {
		known = append(known, sub.Name)
	}
	name := c.Args().First()
	return cli.Fail(cli.Usage, "there is no command %q%s", name, meant(strconv.Quote, name, known)).WithTry("%s --help", c.FullName())
}

// meant asks whether one of known was meant by a mistyped word, if one is near.
func meant(spelled func(string) string, word string, known []string) string {
	if near := nearest.Of(word, known); near != "" {
		return "; did you mean " + spelled(near) + "?"
	}
	return ""
}

func flagWords(c *urfave.Command, msg string) string {
	if name, ok := strings.CutPrefix(msg, "flag provided but not defined: -"); ok {
		return "there is no flag " + dashed(name) + meantFlag(c, name)
	}
	if name, ok := strings.CutPrefix(msg, "flag needs an argument: "); ok {
		return dashed(strings.TrimLeft(name, "-")) + " needs a value"
	}
	value, rest, ok := strings.Cut(strings.TrimPrefix(msg, "invalid value "), " for flag -")
	if name, _, ok2 := strings.Cut(rest, ": "); ok && ok2 {
		return dashed(name) + " " + value + " is none; " + acceptedBy(c, name) + " accepted"
	}
	return msg
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func acceptedBy(c *urfave.Command, name string) string {
	for _, f := range c.Flags {
		if !slices.Contains(f.Names(), name) {
			continue
		}
		switch f.(type) {
		case *urfave.IntFlag, *urfave.Int64Flag:
			return "whole numbers are"
		case *urfave.BoolFlag:
			return "true and false are"
		}
	}
	return "other values are"
}

// meantFlag is meant for a mistyped flag of c.
func meantFlag(c *urfave.Command, name string) string {
	var known []string
	for _, f := range c.VisibleFlags() {
		known = append(known, f.Names()[0])
	}
	return meant(dashed, name, known)
}
