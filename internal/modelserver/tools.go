package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// shells are the names that agents give to their shell tool.
var shells = []string{"bash", "Bash", "exec_command", "shell_command", "shell", "run_shell_command"}

// call turns a directive into a call of one of the tools that the agent offers.
func (q Request) call(at step) (*call, error) {
	if at.verb == "bash" {
		return q.shell(at.argument)
	}
	name, arguments, _ := strings.Cut(at.argument, ":")
	c := &call{name: name, arguments: map[string]any{}}
	if arguments == "" {
		return c, nil
	}
	return c, json.Unmarshal([]byte(arguments), &c.arguments)
}

func (q Request) shell(command string) (*call, error) {
	for _, name := range shells {
		for _, t := range q.Tools {
			if t.Name == name {
				return &call{name: name, arguments: t.shellArguments(command)}, nil
			}
		}
	}
	var names []string
	for _, t := range q.Tools {
		names = append(names, t.Name)
	}
	return nil, fmt.Errorf("no shell tool among %q", names)
}

func (t Tool) shellArguments(command string) map[string]any {
	arguments := map[string]any{}
	for name, kind := range t.Arguments {
		switch {
		case name == "command" && kind == "array":
			arguments[name] = []string{"bash", "-c", command}
		case name == "command" || name == "cmd":
			arguments[name] = command
		case name == "description":
			arguments[name] = "run a command of the test"
		case name == "yield_time_ms":
			// Codex returns a command that still runs after this time as a session, not as a result.
			arguments[name] = 30000
		}
	}
	return arguments
}
