// Package realagents finds the coding agents that .ci/agents installed and gives each a home of its own that points
// it at a scripted model server (internal/modelserver). It is for tests and for the recorder in record/.
package realagents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// The agents, by the name of their program.
const (
	Pi       = "pi"
	Claude   = "claude"
	Codex    = "codex"
	Gemini   = "gemini"
	OpenCode = "opencode"
)

// All are the agents that .ci/agents installs.
func All() []string { return []string{Pi, Claude, Codex, Gemini, OpenCode} }

// ErrNotInstalled means that .ci/agents did not run or could not install the agent.
var ErrNotInstalled = errors.New("not installed: run .ci/agents")

// Root is the repository, found from the working directory upwards.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("not inside the repository: no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}

// Bin is the folder of the installed programs.
func Bin() (string, error) {
	root, err := Root()
	return filepath.Join(root, ".cache", "agents", "bin"), err
}

// Program is the path of one installed agent.
func Program(agent string) (string, error) {
	bin, err := Bin()
	if err != nil {
		return "", err
	}
	path := filepath.Join(bin, agent)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s: %w", agent, ErrNotInstalled)
	}
	return path, nil
}

// Native is the program behind the npm entry of an agent: for Codex, whose entry is a node script that does not take
// its child with it when it is killed, the program that the script starts.
func Native(agent string) (string, error) {
	path, err := Program(agent)
	if err != nil || agent != Codex {
		return path, err
	}
	entry, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	packages := filepath.Dir(filepath.Dir(filepath.Dir(entry))) // of …/@openai/codex/bin/codex.js
	found, err := filepath.Glob(filepath.Join(packages, "codex-*", "vendor", "*", "bin", "codex"))
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("native codex beside %s: found %q", entry, found)
	}
	return found[0], nil
}

var number = regexp.MustCompile(`\d+\.\d+\.\d+\S*`)

// Version asks an agent for its version, in the environment that Setup made for it.
func Version(agent string, env []string) (string, error) {
	path, err := Program(agent)
	if err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", agent, err)
	}
	if v := number.Find(out); v != nil {
		return string(v), nil
	}
	return "", fmt.Errorf("%s --version says no version: %q", agent, out)
}
