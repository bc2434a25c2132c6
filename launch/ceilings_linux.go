package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-runs/agent-runs/internal/rawfile"
	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// What may help where there are no ceilings.
const (
	tryUnified = "boot with cgroup_no_v1=all (under systemd: systemd.unified_cgroup_hierarchy=1)"
	tryScope   = "systemd-run --user --scope agent-runs supervisor restart"
	tryBelow   = "move them into a group below it, write +memory +pids to its cgroup.subtree_control, and agent-runs supervisor restart"
	tryAbove   = "agent-runs supervisor restart in a cgroup whose parent has memory and pids in its cgroup.subtree_control"
)

// ceilingControllers are always had together, so that whether there are
// ceilings does not depend on which.
var ceilingControllers = []string{"memory", "pids"}

// CeilingsUsable says whether a run can have ceilings whose shim is started by
// the process with pid, by making such a cgroup and removing it again. 0 is
// this process. Nothing else is changed: a root that only has to be asked for
// the controllers is not asked. The error is a *NoCeilings.
func CeilingsUsable(pid int) error {
	name := "self"
	if pid != 0 {
		name = strconv.Itoa(pid)
	}
	p, err := placeOf(name)
	if err != nil {
		return &NoCeilings{err, tryUnified}
	}
	if base, _ := p.basis(Ceilings{}); base == "" && p.rootCould() {
		return nil
	}
	c, err := p.makeBounded("probe-"+strconv.Itoa(os.Getpid()), Ceilings{1 << 30, 1 << 10})
	if err == nil {
		c.Remove()
	}
	return err
}

// makeBounded makes a cgroup with ceilings.
func (p place) makeBounded(id string, want Ceilings) (*Cgroup, error) {
	base, want := p.basis(want)
	if base == "" && p.askRoot() {
		base = p.mount
	}
	if base == "" {
		return nil, p.missing()
	}
	// To start a process in a group takes the right to move one there.
	if err := writable(filepath.Join(base, "cgroup.procs")); err != nil {
		return nil, &NoCeilings{err, tryScope}
	}
	c, err := makeGroup(filepath.Join(base, groupName(id)))
	if err != nil {
		return nil, &NoCeilings{err, tryScope}
	}
	if err := c.bound(want); err != nil {
		c.Remove()
		return nil, &NoCeilings{err, tryAbove}
	}
	return c, nil
}

// basis is the group to make one with ceilings in, "" if there is none. The
// kernel gives controllers to the groups below one only if that has no
// processes of its own, but for the root. The place has ours, so it is the
// nearest one above that hands them down. What bounds those passed over bounds
// the run as well.
func (p place) basis(want Ceilings) (string, Ceilings) {
	for dir := range p.upwards() {
		if handsDown(dir) {
			return dir, want
		}
		want.Memory = tighter(want.Memory, dir, "memory.max")
		want.Processes = tighter(want.Processes, dir, "pids.max")
	}
	return "", want
}

// handsDown reports whether groups in dir have the controllers.
func handsDown(dir string) bool { return lists(filepath.Join(dir, subtreeControl)) }

// subtreeControl is the file that says what groups below one have.
const subtreeControl = "cgroup.subtree_control"

// rootCould reports whether the root of all groups has the controllers and may
// be asked to hand them down. Other groups are left as their owners want them.
func (p place) rootCould() bool {
	_, err := os.Stat(filepath.Join(p.mount, "cgroup.type")) // only the root has none
	return errors.Is(err, fs.ErrNotExist) && lists(filepath.Join(p.mount, "cgroup.controllers")) && writable(filepath.Join(p.mount, subtreeControl)) == nil
}

func (p place) askRoot() bool {
	return p.rootCould() && os.WriteFile(filepath.Join(p.mount, subtreeControl), []byte("+"+strings.Join(ceilingControllers, " +")), 0) == nil && handsDown(p.mount)
}

// lists reports whether a file names the controllers.
func lists(path string) bool {
	b, err := rawfile.Read(path)
	have := strings.Fields(string(b))
	return err == nil && !slices.ContainsFunc(ceilingControllers, func(c string) bool { return !slices.Contains(have, c) })
}

// missing says why no group from the place upwards hands the controllers down.
func (p place) missing() error {
	if !lists(filepath.Join(p.mount, "cgroup.controllers")) {
		return &NoCeilings{fmt.Errorf("the controllers memory and pids are not with cgroup version 2 in %s", p.mount), tryUnified}
	}
	if err := writable(filepath.Join(p.mount, subtreeControl)); err != nil {
		return &NoCeilings{fmt.Errorf("no cgroup hands memory and pids down: %w", err), tryScope}
	}
	if p.dir == p.mount { // a container's, as a rule
		return &NoCeilings{fmt.Errorf("the cgroup in %s has processes of its own, so it hands no memory and pids down", p.mount), tryBelow}
	}
	return &NoCeilings{fmt.Errorf("no cgroup from %s up to %s hands memory and pids down", p.dir, p.mount), tryAbove}
}

func writable(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// tighter is the lesser of a ceiling and what dir has in file, 0 for none.
func tighter(want int64, dir, file string) int64 {
	b, err := rawfile.Read(filepath.Join(dir, file))
	if err != nil {
		return want // the root has none
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil || want > 0 && want < n { // "max"
		return want
	}
	return n
}

// bound sets the ceilings. Who is over that of memory ends as a whole: half a
// run is worth nothing, and would end in ways that hide the reason.
func (c *Cgroup) bound(want Ceilings) error {
	set := func(file string, n int64) error {
		f, err := os.OpenFile(filepath.Join(c.Dir, file), os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString(strconv.FormatInt(n, 10))
		return errors.Join(err, f.Close())
	}
	if want.Memory > 0 {
		if err := errors.Join(set("memory.oom.group", 1), set("memory.max", want.Memory)); err != nil {
			return err
		}
		// Memory that is swapped out is used as well. No file, no swap.
		if err := set("memory.swap.max", 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if want.Processes > 0 {
		return set("pids.max", want.Processes)
	}
	return nil
}

// tell adds to an exit record what became of the ceilings. A kill counts only
// if it was this group that had no room: the whole machine may have had none,
// or a group that the run made for itself.
func (c *Cgroup) tell(e *journal.Exit) {
	if counter(c.Dir, "memory.events.local", "oom") > 0 {
		e.OOMKills = counter(c.Dir, "memory.events", "oom_kill")
	}
	e.ForksDenied = counter(c.Dir, "pids.events", "max")
}

// counter is the number behind key in a file of the group, 0 if there is none.
func counter(dir, file, key string) int64 {
	b, err := rawfile.Read(filepath.Join(dir, file))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), " "); ok && k == key {
			n, _ := strconv.ParseInt(v, 10, 64)
			return n
		}
	}
	return 0
}
