package launch

import (
	"errors"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/shirou/gopsutil/v3/process"
	"golang.org/x/sys/unix"
)

// tree is what can be seen of a run's processes on macOS: the session the
// child began, and what was once seen below a member of it. A process that
// leaves the session and loses its parents between two looks is not seen.
// That is why a tree is always called unproven here.
type tree struct{ kin kin }

func (t *tree) open(_ string, l *journal.Launch) error {
	if CeilingsOf(l.Limits).any() {
		return &stageError{"limits", CgroupUsable()}
	}
	if l.Tree == "cgroup" {
		return &stageError{"cgroup", CgroupUsable()}
	}
	return nil
}

// CgroupUsable says why there are none.
func CgroupUsable() error { return errors.New("macOS has no control groups") }

func (t *tree) cgroup() string { return "" }
func (t *tree) remove()        {}

func (t *tree) tell(*journal.Exit) {}

// kill ends the child at once. What is below it is noted first: without their
// parent nothing would lead to them.
func (t *tree) kill(pid int) {
	t.kin.child = pid
	t.kin.live()
	if st, err := readStat(pid); err == nil {
		st.signal(unix.SIGKILL)
	}
}

// hold starts the child up to its gate.
func hold(p *prepared, _ *tree) (*Gated, error) { return execGated(p) }

// clear ends what the child left, as far as it can be seen.
func (s *shim) clear(r *running, now <-chan struct{}, grace time.Duration) ([]journal.Leftover, string) {
	k := &s.tree.kin
	k.child = r.pid
	left, _ := clearing{list: k.live, killAll: k.killGroup, changed: lookAgain, hurry: now,
		empty: func() bool { return quiet(k.live) }}.run(grace)
	return left, journal.TreeUnproven
}

// kin are the processes known to belong to one child.
type kin struct {
	child int
	known map[memberKey]stat
}

// live lists those that live, the child left out, after another look round.
func (k *kin) live() []stat {
	all := allProcesses()
	now := make(map[int]stat, len(all))
	for _, st := range all {
		now[st.pid] = st
	}
	fresh := map[memberKey]stat{}
	for _, st := range all {
		if k.related(st, now) {
			fresh[memberKey{st.pid, st.start}] = st
		}
	}
	k.known = fresh
	var list []stat
	for _, st := range fresh {
		if st.pid != k.child {
			list = append(list, st)
		}
	}
	return list
}

// related follows the parents of st up to a member.
func (k *kin) related(st stat, now map[int]stat) bool {
	if !st.live() {
		return false
	}
	for range len(now) {
		if _, ok := k.known[memberKey{st.pid, st.start}]; ok || st.sid == k.child || st.pid == k.child {
			return true
		}
		parent, ok := now[st.ppid]
		if !ok || parent.pid <= 1 {
			return false
		}
		st = parent
	}
	return false
}

// killGroup ends the child's process group in one step. It is asked for only
// while a member was just seen in it: as long as there is one the kernel gives
// the group's number to nobody else.
func (k *kin) killGroup() {
	for _, st := range k.live() {
		if st.pgid == k.child && st.sid == k.child {
			unix.Kill(-k.child, unix.SIGKILL)
			return
		}
	}
}

// vouched lists the members of the session that the child began.
func vouched(p *journal.Process) []stat {
	var list []stat
	for _, st := range allProcesses() {
		if st.live() && st.sid == p.PID && st.start >= p.Identity.StartTicks {
			list = append(list, st)
		}
	}
	return list
}

// rootsOf are the processes below which everything is of the run. The shim is
// none: a supervisor that it restarted is its child as well.
func rootsOf(p *journal.Process) []journal.Identity { return []journal.Identity{p.Identity} }

// descendants lists every live process below root, root excluded.
func descendants(root int) []stat { return (&kin{child: root}).live() }

// Suspects is empty: macOS shows no other process's environment reliably.
func Suspects(string) []stat { return nil }

func allProcesses() []stat {
	pids, err := process.Pids()
	if err != nil {
		return nil
	}
	all := make([]stat, 0, len(pids))
	for _, pid := range pids {
		if st, err := readStat(int(pid)); err == nil {
			all = append(all, st)
		}
	}
	return all
}

// CgroupOf returns "": there are none.
func CgroupOf(string) string { return "" }
