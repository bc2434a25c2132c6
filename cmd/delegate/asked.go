package main

import "github.com/agent-runs/agent-runs/cmd/internal/options"

// asked is what options are read from, by the names of the flags: a command
// line, or a task of a plan.
type asked interface {
	IsSet(name string) bool
	String(name string) string
	StringSlice(name string) []string
	Bool(name string) bool
	// Field is how whoever asks spells the option.
	Field(name string) string
}

// commandLine is a call's flags.
type commandLine struct{ *options.Line }

func (c commandLine) Field(name string) string { return "--" + name }
