package launch

import (
	"golang.org/x/sys/unix"
)

// hold forks the child up to its gate, inside the tree's cgroup if it has one.
func hold(p *prepared, t *tree) (*Gated, error) {
	defer t.close()
	g, err := forkGated(p.child(t))
	if err == nil {
		favour(g.PID, p.priority)
	}
	return g, err
}

// child lays everything out as the forked copy needs it.
func (p *prepared) child(t *tree) *childSpec {
	c := &childSpec{dir: cString(p.dir), path: cString(p.path), argv: cStrings(p.argv), mark: cString(p.mark), envv: cStrings(p.env), umask: p.umask, cgroup: -1}
	for i, f := range p.stdio {
		c.stdio[i] = int32(f.Fd())
	}
	if t.dir != nil {
		c.cgroup = int(t.dir.Fd())
	}
	for resource, r := range p.limit {
		for len(c.set) <= resource {
			c.set, c.rlimits = append(c.set, false), append(c.rlimits, unix.Rlimit{})
		}
		c.set[resource], c.rlimits[resource] = true, r
	}
	return c
}

// cString and cStrings cannot fail: strings with NUL bytes were refused when
// the launch was made.
func cString(s string) *byte { return &append([]byte(s), 0)[0] }

func cStrings(list []string) **byte {
	ptrs := make([]*byte, len(list)+1)
	for i, s := range list {
		ptrs[i] = cString(s)
	}
	return &ptrs[0]
}
