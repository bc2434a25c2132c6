// Package claude speaks with claude. (Under construction.)
package claude

import "github.com/agent-runs/agent-runs/launch/agent"

// Runtime is claude.
type Runtime struct{ agent.Runtime }

// Name is what --runtime calls it.
func (Runtime) Name() string { return "claude" }
