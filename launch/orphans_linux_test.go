package launch

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

const (
	roleOrphans = "__orphans"
	roleFoster  = "__foster"
)

// orphansMain is a supervisor that starts a shim for each run and loses all
// but the last one.
func orphansMain(dir string, ids []string) int {
	h := journal.Home{Dir: dir}
	o, err := AdoptOrphans()
	if err != nil {
		return complain("adopt", err)
	}
	type lost struct {
		foster Foster
		child  *Handle
	}
	var all []lost
	for i, id := range ids {
		r, shim, err := assign(h, id, o.SpawnShim)
		if err != nil || r.Process == nil {
			return complain("start "+r.Error, err)
		}
		if i == len(ids)-1 {
			break
		}
		child, err := Open(r.Process.Identity)
		if err != nil {
			return complain("open", err)
		}
		all = append(all, lost{Foster{Home: h, Process: *r.Process, Orphans: o, Ours: true, Grace: 100 * time.Millisecond}, child})
		if err := Signal(shim, syscall.SIGKILL); err != nil {
			return complain("kill", err)
		}
	}
	exits := make(chan journal.Exit)
	for _, l := range all {
		go func() { exits <- l.foster.Run(l.child) }()
	}
	fmt.Println("ready")
	for range all {
		json.NewEncoder(os.Stdout).Encode(<-exits)
	}
	var one [1]byte
	os.Stdin.Read(one[:])
	return 0
}

// fosterMain adopts a run of another supervisor's shim.
func fosterMain(dir, id string) int {
	h := journal.Home{Dir: dir}
	var p journal.Process
	if err := journal.Read(h.File(id, journal.ProcessFile), &p); err != nil {
		return complain("read", err)
	}
	o, err := AdoptOrphans()
	if err != nil {
		return complain("adopt", err)
	}
	child, err := Open(p.Identity)
	if err != nil {
		return complain("open", err)
	}
	fmt.Println("ready")
	f := Foster{Home: h, Process: p, Orphans: o, Grace: 100 * time.Millisecond}
	json.NewEncoder(os.Stdout).Encode(f.Run(child))
	return 0
}

// other is a role played in a process of its own.
type other struct {
	t   *testing.T
	cmd *exec.Cmd
	out *bufio.Scanner
}

func playing(t *testing.T, role string, args ...string) *other {
	t.Helper()
	c := exec.Command("/proc/self/exe", append([]string{role}, args...)...)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { in.Close(); c.Process.Kill(); c.Wait() })
	o := &other{t, c, bufio.NewScanner(out)}
	require.Equal(t, "ready", o.line())
	return o
}

func (o *other) line() string {
	o.t.Helper()
	require.True(o.t, o.out.Scan(), "it died: %v", o.out.Err())
	return o.out.Text()
}

func (o *other) exit() (e journal.Exit) {
	o.t.Helper()
	require.NoError(o.t, json.Unmarshal([]byte(o.line()), &e))
	return e
}

func (s *scene) process(id string) (p journal.Process) {
	require.NoError(s.t, journal.Read(s.home.File(id, journal.ProcessFile), &p))
	return p
}

// TestOrphansOfTwoDeadShims: the orphans of both come to the supervisor, and
// only their marks tell them apart. What bears none is not touched while it
// may be the other's, and is ended when there is no other.
func TestOrphansOfTwoDeadShims(t *testing.T) {
	s := newScene(t)
	var ids, tagList []string
	t.Cleanup(func() { // after the sweeps, and before the home is removed: the last shim writes into it
		for _, id := range ids {
			eventually(t, "the shim has let go of its run", func() bool {
				held, err := Held(s.home.File(id, journal.LockFile))
				return err == nil && !held
			})
		}
	})
	for range 3 {
		tag := newTag()
		sweep(t, tag)
		script := strings.ReplaceAll("sleep TAG & (setsid sleep TAG &); (env -i setsid sleep TAG &); exec sleep TAG", "TAG", tag)
		l := s.launch("subreaper", 100*time.Millisecond, "sh", "-c", script)
		require.NoError(t, journal.WriteOnce(s.home.File(l.ID, journal.LaunchFile), l))
		ids, tagList = append(ids, l.ID), append(tagList, tag)
	}
	o := playing(t, roleOrphans, append([]string{s.home.Dir}, ids...)...)
	for _, tag := range tagList {
		eventually(t, "the trees", func() bool { // and no shell that is still forking
			all := tagged(tag)
			return len(all) == 4 && !slices.ContainsFunc(all, func(st stat) bool { return st.name != "sleep" })
		})
	}

	require.NoError(t, Signal(s.process(ids[0]).Identity, syscall.SIGUSR1))
	first := o.exit()
	require.Equal(t, ids[0], first.ID)
	require.Equal(t, int(syscall.SIGUSR1), *first.Signal)
	require.Equal(t, journal.TreeUnproven, first.Tree, "what bears no mark may be of the first run")
	cleared, strays := split(first)
	require.Len(t, cleared, 2)
	require.Len(t, strays, 2, "one stray of each dead shim")
	require.Len(t, tagged(tagList[0]), 1)
	require.Len(t, tagged(tagList[1]), 4, "the first run's end took something of the second")
	require.Len(t, tagged(tagList[2]), 4)

	require.NoError(t, Signal(s.process(ids[1]).Identity, syscall.SIGUSR2))
	second := o.exit()
	require.Equal(t, int(syscall.SIGUSR2), *second.Signal)
	require.Equal(t, journal.TreeEmpty, second.Tree)
	require.Empty(t, tagged(tagList[0]))
	require.Empty(t, tagged(tagList[1]))
	require.Len(t, tagged(tagList[2]), 4, "a run whose shim lives was touched")
}

func split(e journal.Exit) (cleared, left []journal.Leftover) {
	for _, l := range e.Leftovers {
		if l.Cleared {
			cleared = append(cleared, l)
		} else {
			left = append(left, l)
		}
	}
	return cleared, left
}

// TestFosterOfAStranger: a supervisor that did not start the shim sees the
// exit all the same, ends what it saw below the child, lists the rest, and
// proves only what a cgroup proves.
func TestFosterOfAStranger(t *testing.T) {
	eachTree(t, func(t *testing.T, tree string) {
		s := newScene(t)
		tag := newTag()
		sweep(t, tag)
		l := s.launch(tree, 100*time.Millisecond, "sh", "-c", strings.ReplaceAll("sleep TAG & setsid sleep TAG & exec sleep TAG", "TAG", tag))
		r, shim := s.start(l)
		require.NotNil(t, r.Process)
		eventually(t, "the tree", func() bool { return len(tagged(tag)) == 3 })
		o := playing(t, roleFoster, s.home.Dir, l.ID)
		require.NoError(t, Signal(shim, syscall.SIGKILL))
		require.NoError(t, Signal(r.Process.Identity, syscall.SIGUSR1))
		e := o.exit()
		// What it had not seen before the child's end went to init, and bears the
		// mark only: that is listed and not touched.
		_, left := split(e)
		var pids, listed []int
		for _, st := range tagged(tag) {
			pids = append(pids, st.pid)
		}
		for _, l := range left {
			listed = append(listed, l.PID)
		}
		require.ElementsMatch(t, pids, listed)
		require.Len(t, e.Leftovers, 2)
		if e.Observed == journal.ObservedPidfd {
			require.Equal(t, int(syscall.SIGUSR1), *e.Signal)
		} else {
			require.Equal(t, journal.ObservedIdentityGone, e.Observed)
			t.Log("NOT TESTED: this kernel tells a stranger no exit status")
		}
		if tree == "cgroup" {
			require.Empty(t, left)
			require.Equal(t, journal.TreeEmpty, e.Tree)
		} else {
			require.Equal(t, journal.TreeUnproven, e.Tree)
		}
	})
}
