package launch

import (
	"github.com/agent-runs/agent-runs/internal/rawfile"
	"os"
	"strconv"
	"strings"
)

// descendants lists every live process below root, root excluded, by parent
// links. It is a snapshot: what forks meanwhile may be missing, which is why
// emptiness is taken from the kernel (no child left to wait for) and never
// from a listing.
func descendants(root int) []stat {
	var found []stat
	for queue := []int{root}; len(queue) > 0; {
		pid := queue[0]
		queue = queue[1:]
		for _, child := range childrenOf(pid) {
			st, err := readStat(child)
			if err != nil || st.ppid != pid && pid != root {
				continue // gone, or moved up to a subreaper: seen on the next sweep
			}
			queue = append(queue, child)
			if st.live() {
				found = append(found, st)
			}
		}
	}
	return found
}

// childrenOf reads /proc/PID/task/*/children, see proc_tid_children(5), and
// scans all of /proc where the kernel lacks it (CONFIG_PROC_CHILDREN).
func childrenOf(pid int) []int {
	base := "/proc/" + strconv.Itoa(pid) + "/task/"
	tasks, err := readNames(base)
	if err != nil {
		return nil
	}
	var kids []int
	known := false
	for _, t := range tasks {
		b, err := rawfile.Read(base + t + "/children")
		if err != nil {
			continue
		}
		known = true
		for _, f := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(f); err == nil {
				kids = append(kids, n)
			}
		}
	}
	if !known {
		return childrenByScan(pid)
	}
	return kids
}

func childrenByScan(pid int) []int {
	var kids []int
	for _, st := range allProcesses() {
		if st.ppid == pid {
			kids = append(kids, st.pid)
		}
	}
	return kids
}

// allProcesses reads the stat of every process.
func allProcesses() []stat {
	names, err := readNames("/proc")
	if err != nil {
		return nil
	}
	var all []stat
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			if st, err := readStat(pid); err == nil {
				all = append(all, st)
			}
		}
	}
	return all
}

func readNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}
