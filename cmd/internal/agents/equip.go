package agents

import (
	"errors"
	"strings"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/cmd/internal/posting"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch/agent"
	"github.com/agent-runs/agent-runs/supervisor/conversation"
)

// Equip completes the launch of an agent: with the program, found in the PATH
// of the child's environment, and how it is started. It returns that
// environment with what the runtime wants set besides, unless it is set. Its
// errors are for people, and nothing is written before.
func Equip(l *journal.Launch, r agent.Runtime, env []string) ([]string, error) {
	p, err := Find(r, posting.Getenv(env, "PATH"))
	if err != nil {
		return nil, err
	}
	l.Agent.Version = p.Version
	call, err := r.Command(conversation.TaskOf(*l))
	if err != nil {
		var told *cli.Error
		if errors.As(err, &told) {
			return nil, told
		}
		return nil, cli.Fail(cli.Usage, "%s: %v", r.Name(), err)
	}
	l.Program = journal.Program{Runtime: r.Name(), Argv: append([]string{p.Path}, call.Args...)}
	l.Stdin = journal.Stdin{Mode: "open"}
	return withDefaults(env, call.Env), nil
}

func withDefaults(env, defaults []string) []string {
	set := map[string]bool{}
	for _, e := range env {
		k, _, _ := strings.Cut(e, "=")
		set[k] = true
	}
	for _, e := range defaults {
		if k, _, _ := strings.Cut(e, "="); !set[k] {
			env = append(env, e)
		}
	}
	return env
}
