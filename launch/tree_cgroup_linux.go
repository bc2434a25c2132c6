package launch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"github.com/agent-runs/agent-runs/internal/rawfile"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Cgroup is the control group (version 2) of one run. It sees processes that
// cut every other tie, and ends them all in one step.
type Cgroup struct{ Dir string }

// cgroupBase is where this process may make cgroups; it never changes while
// nobody moves the process.
var cgroupBase = sync.OnceValues(findCgroupBase)

// warmTree looks for it ahead of time.
func warmTree() { cgroupBase() }

// findCgroupBase returns the directory below which this process may make cgroups:
// its own cgroup, in the mount that /proc/self/mountinfo names.
func findCgroupBase() (string, error) {
	mount, root, err := cgroupMount()
	if err != nil {
		return "", err
	}
	b, err := rawfile.Read("/proc/self/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(b)) {
		if own, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			rel, err := filepath.Rel(root, own)
			if err != nil || strings.HasPrefix(rel, "..") {
				return "", fmt.Errorf("our cgroup %s is outside the mount of %s", own, root)
			}
			return filepath.Join(mount, rel), nil
		}
	}
	return "", errors.New("this process is in no version 2 cgroup")
}

// cgroupMount finds the cgroup2 mount and the root it shows, see
// proc_pid_mountinfo(5).
func cgroupMount() (mount, root string, err error) {
	b, err := rawfile.Read("/proc/self/mountinfo")
	if err != nil {
		return "", "", err
	}
	s := bufio.NewScanner(bytes.NewReader(b))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		head, tail, ok := strings.Cut(s.Text(), " - ")
		f := strings.Fields(head)
		if ok && strings.HasPrefix(tail, "cgroup2 ") && len(f) > 4 {
			return unescapeMount(f[4]), unescapeMount(f[3]), nil
		}
	}
	return "", "", errors.New("no cgroup version 2 is mounted")
}

var mountEscapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func unescapeMount(s string) string { return mountEscapes.Replace(s) }

// NewCgroup makes the cgroup of run id.
func NewCgroup(id string) (*Cgroup, error) {
	base, err := cgroupBase()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(base, "agent-runs-"+id)
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
	base, err := cgroupBase()
	if err != nil {
		return ""
	}
	dir := filepath.Join(base, "agent-runs-"+id)
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// CgroupUsable says whether NewCgroup would work, and why not.
func CgroupUsable() error {
	c, err := NewCgroup("probe-" + strconv.Itoa(os.Getpid()))
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
