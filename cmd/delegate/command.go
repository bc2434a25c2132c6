package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/options"
	"github.com/agent-runs/agent-runs/cmd/internal/posting"
	"github.com/agent-runs/agent-runs/settings"
	"github.com/agent-runs/agent-runs/supervisor"
)

const description = `PROMPT is one argument: a coding agent is started and works on it. "-" reads it
from stdin, and --prompt takes one that begins with a dash. COMMAND goes behind
"--" and is run as it is. Either is a process of its own: it goes on when this
command, its terminal or its parent ends. Prints the run's id; see it with
"agent-runs inspect ID", talk to it with "agent-runs steer" and "continue", end
it and all it started with "agent-runs stop ID".

Without --runtime: the kind of agent that calls, else AGENT_RUNS_RUNTIME, else
that of the settings, else the only one that is installed ("agent-runs
runtimes"). --model is exact.
Permissions that an agent asks for are denied and that is reported; with
--permission ask they become questions ("agent-runs questions", "answer"), with
allow they are granted, and any other word is the agent's own mode.
An agent has 30 turns, 30 minutes, 60 seconds to start and 10 minutes without a
sign of life, if neither the options nor "agent-runs settings" say otherwise;
before the last 2 turns it is asked to wrap up. Tokens read from a cache do not
count. No option goes beyond a ceiling in the settings.

With --plan a FILE in YAML or JSON says what is to be done: {"tasks": [{"id",
"needs": [ids], "prompt" or "command": [argv], and options by the names of these
flags}], "defaults": {options}, "limits": {"concurrency", "duration", "tokens",
"cost"}}. Options of the call hold for all tasks that say nothing else.

` + cli.ExitCodes

// program is what delegate knows and says of itself.
func program() *options.Program {
	return &options.Program{
		Name:        "delegate",
		Usage:       "hand work to an agent or a command that cannot be lost",
		Forms:       []string{"delegate [options] PROMPT|-", "delegate [options] -- COMMAND [ARG...]", "delegate [options] --plan FILE|-"},
		Description: description,
		Options:     known(),
	}
}

func known() []options.Option {
	return slices.Concat(agentFlags(), commonFlags(), verifyFlags(), []options.Option{
		options.Toggle("help", "h", "show help"),
		options.Toggle("version", "v", "print the version"),
	})
}

// run does what a command line asks for.
func run(ctx context.Context, args []string) error {
	if typed, ok := cli.Typed(args); ok {
		options.Complete(os.Stdout, known(), values(), typed)
		return nil
	}
	c, err := read(args)
	switch {
	case err != nil:
		return err
	case c.IsSet("help"):
		p := program()
		p.Version = supervisor.Build()
		if err := p.Help(os.Stdout); !errors.Is(err, syscall.EPIPE) { // whoever reads may have seen enough
			return err
		}
		return nil
	case c.IsSet("version"):
		_, err := fmt.Println("delegate version " + supervisor.Build())
		return err
	case c.IsSet("plan"):
		return planned(ctx, c)
	}
	r, err := parse(c)
	if err != nil {
		return err
	}
	return r.run(ctx)
}

func read(args []string) (*options.Line, error) {
	c, err := options.Read(known(), args)
	if err != nil {
		return nil, cli.Fail(cli.Usage, "%v", err).WithTry("delegate --help")
	}
	return c, nil
}

func commonFlags() []options.Option {
	return []options.Option{
		options.Text("name", "a name to find the run by"),
		options.Text("owner", "who owns the run (default: AGENT_RUNS_OWNER, the calling agent's session, or \"user\")"),
		options.Text("cwd", "the child's directory (default: this one)"),
		options.Texts("env", "set `K=V` in the child's environment, besides what is set here"),
		options.Text("max-duration", "stop the run after `D` (90s, 2h, 1d)"),
		options.Text("max-queue-wait", "give up if it has not started after `D` (default where it queues: "+settings.Default("queueWait")+")"),
		options.Text("grace", "wait `D` between TERM and KILL when it is stopped"+otherwise("grace")),
		options.Text("max-output", "stop the run when its output outgrows `SIZE` (10MB, 1GiB)"),
		options.Text("max-memory", "end the run when all its processes need more than `SIZE` together (needs cgroup v2)"),
		options.Text("max-processes", "let it have no more than `N` processes and threads at once (needs cgroup v2)"),
		options.Toggle("queued", "", "let a command take its turn among the agents, as they do"),
		options.Texts("needs", "start it once run `ID` has completed, with its output in place of {previous} and {outputs.ID}"),
		options.Text("plan", "run the tasks in `FILE`, or - for this command's stdin, each once those it needs have completed"),
		options.Text("stdin", "what a command reads: `open` for steering, a FILE, or - for this command's stdin (default: nothing)"),
		options.Toggle("wait", "", "stream a command's output, or print an agent's last word, and exit 0 or 1 by its end"),
		options.Toggle("json", "", "print the receipt as JSON"),
		options.Toggle("quiet", "q", "print the id only"),
	}
}

// parse turns flags into a request and refuses bad ones before anything is
// written. What is behind "--" in args is a command.
func parse(c *options.Line) (*request, error) {
	r := &request{wait: c.Bool("wait"), json: c.Bool("json"), quiet: c.Bool("quiet")}
	if err := r.what(c); err != nil {
		return nil, err
	}
	if name := c.String("name"); strings.Contains(name, "/") {
		return nil, cli.Fail(cli.Usage, "--name %q could be that of a task, PLAN/TASK", name).WithTry("a name without a slash")
	}
	var err error
	if r.owner, err = ownerOf(c); err != nil {
		return nil, err
	}
	if err := posting.Allowed(); err != nil {
		return nil, err
	}
	r.needs = c.StringSlice("needs")
	here, err := workDir(c.String("cwd"))
	if err != nil {
		return nil, err
	}
	return r, r.parse(commandLine{c}, here, newPreferences())
}

func ownerOf(c *options.Line) (string, error) {
	if c.IsSet("owner") {
		if err := cli.CheckLabel("--owner", c.String("owner")); err != nil {
			return "", err
		}
	}
	return cli.Owner(c.String("owner"))
}

// workDir is the directory that relative ones are meant from. It is not needed
// where the one asked for is absolute.
func workDir(cwd string) (string, error) {
	here, err := os.Getwd()
	if err != nil && !filepath.IsAbs(cwd) {
		return "", cli.Fail(cli.Usage, "the current directory cannot be told: %v", err).WithTry("--cwd DIR")
	}
	return here, nil
}
