package cli

import (
	"os"
	"slices"
)

// Completing reports whether one of our completion scripts is asking. The
// library's flag alone does not say so: it could be the last argument of a
// child, which then would silently not be run.
func Completing() bool { return os.Getenv("AGENT_RUNS_COMPLETION") != "" }

// completionFlag ends the arguments when a completion script asks.
const completionFlag = "--generate-shell-completion"

// Typed returns the word that is being typed where a completion script asks a
// program without subcommands what it could become. Behind "--" there is
// nothing to offer, and nothing is run either.
func Typed(args []string) (typed string, asked bool) {
	if !Completing() || len(args) == 0 || args[len(args)-1] != completionFlag {
		return "", false
	}
	if before := args[:len(args)-1]; len(before) > 0 && !slices.Contains(before, "--") {
		typed = before[len(before)-1]
	}
	return typed, true
}
