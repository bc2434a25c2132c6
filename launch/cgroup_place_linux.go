package launch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"

	"github.com/agent-runs/agent-runs/internal/rawfile"
)

// place is a process's own cgroup (version 2), in the mount that
// /proc/self/mountinfo names.
type place struct{ mount, dir string }

// ownPlace is where this process is; it never changes while nobody moves the
// process.
var ownPlace = sync.OnceValues(func() (place, error) { return placeOf("self") })

// warmTree looks for it ahead of time.
func warmTree() { ownPlace() }

// placeOf finds the cgroup of a process by its name in /proc.
func placeOf(process string) (place, error) {
	mount, root, err := cgroupMount()
	if err != nil {
		return place{}, err
	}
	b, err := rawfile.Read("/proc/" + process + "/cgroup")
	if err != nil {
		return place{}, err
	}
	for line := range strings.Lines(string(b)) {
		if own, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			rel, err := filepath.Rel(root, own)
			if err != nil || strings.HasPrefix(rel, "..") {
				return place{}, fmt.Errorf("the cgroup %s is outside the mount of %s", own, root)
			}
			return place{mount, filepath.Join(mount, rel)}, nil
		}
	}
	return place{}, errors.New("this process is in no version 2 cgroup")
}

// upwards lists the place's directory and those above it.
func (p place) upwards() iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir := p.dir; yield(dir) && dir != p.mount; dir = filepath.Dir(dir) {
		}
	}
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
