// Package codex speaks with codex. (Under construction.)
package codex

import "github.com/agent-runs/agent-runs/launch/agent"

// Runtime is codex.
type Runtime struct{ agent.Runtime }

// Name is what --runtime calls it.
func (Runtime) Name() string { return "codex" }
