package launch

import (
	"errors"
	"fmt"
	"github.com/agent-runs/agent-runs/internal/rawfile"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Cgroup is the control group (version 2) of one run. It sees processes that
// cut every other tie, and ends them all in one step.
type Cgroup struct{ Dir string }

// groupName is the name of run id's cgroup, wherever it is.
func groupName(id string) string { return "agent-runs-" + id }

// NewCgroup makes the cgroup of run id, and nothing gets into it before the
// ceilings hold. The error is a *NoCeilings if they are what cannot be had.
func NewCgroup(id string, want Ceilings) (*Cgroup, error) {
	home, err := ownPlace()
	if err != nil && want.any() {
		err = &NoCeilings{err, tryUnified}
	}
	if err != nil {
		return nil, err
	}
	return home.make(id, want)
}

// make makes a cgroup in the place, or above it where only there are ceilings.
func (p place) make(id string, want Ceilings) (*Cgroup, error) {
	if want.any() {
		return p.makeBounded(id, want)
	}
	return makeGroup(filepath.Join(p.dir, groupName(id)))
}

func makeGroup(dir string) (*Cgroup, error) {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	// Linux before 5.14 cannot kill a group in one step: not worth half of it.
	if _, err := os.Stat(filepath.Join(dir, "cgroup.kill")); err != nil {
		os.Remove(dir)
		return nil, fmt.Errorf("this kernel's cgroups have no cgroup.kill: %w", err)
	}
	return &Cgroup{dir}, nil
}

// CgroupOf returns the directory of run id's cgroup if there is one. The name
// is the run's own, so this holds without any record.
func CgroupOf(id string) string {
	home, err := ownPlace()
	if err != nil {
		return ""
	}
	for dir := range home.upwards() {
		group := filepath.Join(dir, groupName(id))
		if _, err := os.Stat(group); err == nil {
			return group
		}
	}
	return ""
}

// CgroupUsable says whether a cgroup can be had for a run without ceilings,
// and why not.
func CgroupUsable() error {
	c, err := NewCgroup("probe-"+strconv.Itoa(os.Getpid()), Ceilings{})
	if err == nil {
		c.Remove()
	}
	return err
}

// Members lists the live processes in the group and below it.
func (c *Cgroup) Members() []stat {
	var found []stat
	for _, dir := range c.dirs() {
		b, err := rawfile.Read(filepath.Join(dir, "cgroup.procs"))
		if err != nil {
			continue
		}
		for _, f := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(f); err == nil {
				if st, err := readStat(pid); err == nil && st.live() {
					found = append(found, st)
				}
			}
		}
	}
	return found
}

// Kill ends every process in the group at once, also those that fork.
func (c *Cgroup) Kill() error {
	return os.WriteFile(filepath.Join(c.Dir, "cgroup.kill"), []byte("1"), 0)
}

// Empty reports the kernel's word on whether any live process is in the group
// or below it. A group that is not there any more is empty.
func (c *Cgroup) Empty() (bool, error) {
	b, err := rawfile.Read(filepath.Join(c.Dir, "cgroup.events"))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return strings.Contains(string(b), "populated 0"), err
}

// Remove deletes the empty group and what the run made below it. A group
// that was emptied this instant may be busy for a moment.
func (c *Cgroup) Remove() {
	dirs := c.dirs()
	for range 20 {
		var err error
		for i := len(dirs) - 1; i >= 0; i-- {
			if e := os.Remove(dirs[i]); e != nil && !errors.Is(e, fs.ErrNotExist) {
				err = e
			}
		}
		if err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// dirs lists the group's directory and those below it, parents first.
func (c *Cgroup) dirs() []string {
	var dirs []string
	filepath.WalkDir(c.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	return dirs
}
