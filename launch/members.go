package launch

import (
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// Member is one live process of a run's tree.
type Member struct {
	PID        int    `json:"pid"`
	PPID       int    `json:"ppid"`
	Name       string `json:"name"`
	State      string `json:"state"`
	StartTicks uint64 `json:"startTicks"`
	Certain    bool   `json:"certain"` // false: known only by an inherited mark
}

// Members lists what can be seen of a run's live tree from outside. Below a
// live shim, in a cgroup or in the child's session it is a member for certain;
// by its mark it is a suspect. Without a process record only suspects and the
// cgroup of that name are left to be looked at.
func Members(id string, p *journal.Process) []Member {
	if p == nil {
		p = &journal.Process{ID: id, Cgroup: CgroupOf(id)}
	}
	seen := map[memberKey]bool{}
	var list []Member
	add := func(sts []stat, certain bool) {
		for _, st := range sts {
			if key := (memberKey{st.pid, st.start}); !seen[key] {
				seen[key] = true
				list = append(list, Member{st.pid, st.ppid, st.name, string(st.state), st.start, certain})
			}
		}
	}
	add(vouched(p), true)
	for _, root := range rootsOf(p) {
		if alive, err := Alive(root); err == nil && alive {
			if root == p.Identity {
				if st, err := readStat(root.PID); err == nil {
					add([]stat{st}, true)
				}
			}
			add(descendants(root.PID), true)
		}
	}
	if alive, _ := Alive(p.Shim.Identity); !alive {
		add(Suspects(id), false)
	}
	return list
}

// SignalName returns SIGTERM and the like.
func SignalName(sig syscall.Signal) string { return unix.SignalName(sig) }
