// Package acp speaks the Agent Client Protocol. (Under construction.)
package acp

import "github.com/agent-runs/agent-runs/launch/agent"

// Runtime is one agent that speaks the protocol.
type Runtime struct {
	agent.Runtime
	name string
}

// Name is what --runtime calls it.
func (r Runtime) Name() string { return r.name }

// Gemini is the Gemini CLI.
func Gemini() Runtime { return Runtime{name: "gemini"} }

// OpenCode is OpenCode.
func OpenCode() Runtime { return Runtime{name: "opencode"} }

// Of is any agent, started by the given command line.
func Of(command string) Runtime { return Runtime{name: "acp:" + command} }
