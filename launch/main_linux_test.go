package launch

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain lets the test binary play the roles of the real executable, which
// starts itself again, and those that need a process of their own.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && strings.HasPrefix(os.Args[1], "__") {
		os.Exit(play(os.Args[1], os.Args[2:]))
	}
	os.Exit(m.Run())
}

func play(role string, args []string) int {
	switch role {
	case RoleShim:
		return ShimMain(args[0])
	case RoleGate:
		return GateMain()
	case roleHolder:
		return holderMain(args)
	case roleOrphans:
		return orphansMain(args[0], args[1:])
	case roleFoster:
		return fosterMain(args[0], args[1])
	}
	fmt.Fprintln(os.Stderr, "no such role:", role)
	return 2
}
