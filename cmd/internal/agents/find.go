// Package agents finds the programs of coding agents on this machine and
// tells which kind of agent somebody is or means. It starts none of them.
package agents

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/launch/agent/runtimes"
)

// Program is an agent's program as it was found.
type Program struct {
	Path    string // what is executed
	Version string // as its package says; "": it does not say
}

// Find looks for a runtime's program in the directories of path, a PATH, or
// says what was looked for.
func Find(r agent.Runtime, path string) (Program, error) {
	names := r.Programs()
	for _, name := range names {
		if found := lookup(name, path); found != "" {
			return Program{Path: executed(r.Name(), found), Version: packageVersion(found)}, nil
		}
	}
	return Program{}, cli.Fail(cli.Usage, "%s is not installed: there is no %s in PATH", r.Name(), strings.Join(names, ", ")).WithTry("agent-runs runtimes")
}

// Installed lists the runtimes with a name of their own whose programs are in
// the directories of path.
func Installed(path string) []string {
	var names []string
	for _, r := range runtimes.All() {
		if _, err := Find(r, path); err == nil {
			names = append(names, r.Name())
		}
	}
	return names
}

// lookup is what a shell does with the name of a command, but that nothing is
// ever found in the current directory unless it is said.
func lookup(name, path string) string {
	if strings.Contains(name, "/") {
		if abs, err := filepath.Abs(name); err == nil && executable(abs) {
			return abs
		}
		return ""
	}
	for _, dir := range filepath.SplitList(path) {
		if file := filepath.Join(dir, name); filepath.IsAbs(dir) && executable(file) {
			return file
		}
	}
	return ""
}

func executable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
