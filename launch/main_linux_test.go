package launch

import (
	"os"
	"testing"
)

// TestMain lets the test binary play the roles of the real executable, which
// starts itself again, and those that need a process of their own.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		role, rest := os.Args[1], os.Args[2:]
		switch role {
		case RoleShim:
			os.Exit(ShimMain(rest[0]))
		case RoleGate:
			os.Exit(GateMain())
		case roleHolder:
			os.Exit(holderMain(rest))
		case roleOrphans:
			os.Exit(orphansMain(rest[0]))
		case roleFoster:
			os.Exit(fosterMain(rest[0], rest[1]))
		}
	}
	os.Exit(m.Run())
}
