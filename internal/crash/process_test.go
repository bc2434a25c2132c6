//go:build linux

package crash

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/agent-runs/agent-runs/journal"
)

// proc is one live process of the place.
type proc struct {
	pid, ppid int
	ticks     uint64
	role      string // supervisor, shim, gated (a copy of the shim before its program), or "" for others
}

// processes lists our own live processes of this home.
func (p *place) processes() []proc {
	var list []proc
	for _, pid := range allPIDs() {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err != nil {
			continue
		}
		argv := strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
		q, live := statOf(pid)
		if len(argv) == 3 && argv[2] == p.home.Dir && live {
			if role, ok := strings.CutPrefix(argv[1], "__"); ok {
				q.role = role
				list = append(list, q)
			}
		}
	}
	for i := range list {
		parent := slices.IndexFunc(list, func(q proc) bool { return q.pid == list[i].ppid })
		if parent >= 0 && list[i].role == "shim" && list[parent].role == "shim" {
			list[i].role = "gated"
		}
	}
	return list
}

func (p *place) withRole(role string) []proc {
	return slices.DeleteFunc(p.processes(), func(q proc) bool { return q.role != role })
}

// inhabitants lists everything that still runs here: ours, the witnessed, and
// whatever names this place in its command line.
func (p *place) inhabitants() []int {
	var pids []int
	for _, pid := range allPIDs() {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if _, live := statOf(pid); err != nil || !live || pid == os.Getpid() {
			continue
		}
		if bytes.Contains(b, []byte(p.dir+"/")) || bytes.Contains(b, []byte(p.home.Dir)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func allPIDs() []int {
	names, _ := filepath.Glob("/proc/[0-9]*")
	var pids []int
	for _, n := range names {
		if pid, err := strconv.Atoi(filepath.Base(n)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// statOf reads what is needed to name a process; live is false for zombies.
func statOf(pid int) (q proc, live bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return q, false
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 20 {
		return q, false
	}
	q.pid = pid
	q.ppid, _ = strconv.Atoi(f[1])
	q.ticks, _ = strconv.ParseUint(f[19], 10, 64)
	return q, f[0] != "Z" && f[0] != "X"
}

func (q proc) alive() bool {
	now, live := statOf(q.pid)
	return live && now.ticks == q.ticks
}

// liveChild returns the child of a run, if it still is the recorded one.
func (p *place) liveChild(id string) (proc, bool) {
	var r journal.Process
	if journal.Read(p.home.File(id, journal.ProcessFile), &r) != nil {
		return proc{}, false
	}
	q := proc{pid: r.PID, ticks: r.Identity.StartTicks, role: "child"}
	return q, q.alive()
}

// kill ends them all as nearly at once as can be, and waits until they are gone.
func (p *place) kill(list []proc) {
	p.t.Helper()
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, q := range list {
			if q.alive() {
				syscall.Kill(q.pid, sig)
			}
		}
	}
	until(p.t, "the killed are dead", func() bool {
		return !slices.ContainsFunc(list, proc.alive)
	})
}
