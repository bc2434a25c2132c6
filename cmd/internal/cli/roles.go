// Package cli is what the two commands share: roles, owners, exit codes,
// words for people.
package cli

import (
	"os"

	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/supervisor"
)

// RunRole plays the hidden role that the executable was started in, if any,
// and never returns then. It is the first thing main does: a shim needs
// nothing of what comes after.
func RunRole() {
	if len(os.Args) != 3 {
		return
	}
	switch os.Args[1] {
	case launch.RoleShim:
		os.Exit(launch.ShimMain(os.Args[2]))
	case launch.RoleGate:
		os.Exit(launch.GateMain())
	case launch.RoleSupervisor:
		os.Exit(supervisor.Main(os.Args[2]))
	}
}
