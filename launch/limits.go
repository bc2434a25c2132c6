package launch

import (
	"github.com/agent-runs/agent-runs/internal/nofile"
	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// CallersLimits returns this process's resource limits as its caller set them.
func CallersLimits() []journal.Rlimit {
	var list []journal.Rlimit
	for resource := unix.RLIMIT_CPU; resource <= lastLimit; resource++ {
		var r unix.Rlimit
		if unix.Getrlimit(resource, &r) != nil {
			continue
		}
		if resource == unix.RLIMIT_NOFILE && nofile.AtStart != 0 {
			r.Cur = nofile.AtStart
		}
		list = append(list, journal.Rlimit{Resource: resource, Cur: r.Cur, Max: r.Max})
	}
	return list
}
