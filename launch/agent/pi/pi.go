// Package pi speaks with pi. (Under construction.)
package pi

import "github.com/agent-runs/agent-runs/launch/agent"

// Runtime is pi.
type Runtime struct{ agent.Runtime }

// Name is what --runtime calls it.
func (Runtime) Name() string { return "pi" }
