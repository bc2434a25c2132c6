package launch

import (
	"os"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// warmUp does once what a first launch would pay for: it runs while the shim
// is a spare and nobody waits. The runtime makes the threads that wait for the
// disk side by side, and the identities and cgroup paths that never change are
// read.
func warmUp() {
	journal.NewID(time.Now())
	IdentityOf(os.Getpid())
	warmTree()
	journal.Warm()
}
