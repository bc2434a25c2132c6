package launch

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/shirou/gopsutil/v3/process"
	"github.com/stretchr/testify/require"
)

// trees are the implementations; what cannot be had here is skipped loudly.
func eachTree(t *testing.T, f func(t *testing.T, tree string)) {
	for _, tree := range []string{"subreaper", "cgroup"} {
		t.Run(tree, func(t *testing.T) {
			if err := CgroupUsable(); tree == "cgroup" && err != nil {
				t.Skipf("NOT TESTED: no cgroup can be had: %v", err)
			}
			f(t, tree)
		})
	}
}

// habits are ways to leave something behind. TAG stands for a sleep that can
// be found whatever else was erased.
var habits = map[string]struct {
	script string
	left   int // at least so many must have been found and ended
}{
	"nothing":              {"exit 0", 0},
	"background":           {"sleep TAG & exit 0", 1},
	"nohup":                {"nohup sleep TAG >/dev/null 2>&1 & exit 0", 1},
	"setsid":               {"setsid sleep TAG & sleep 0.05; exit 0", 1},
	"double fork":          {"(setsid sh -c 'sleep TAG & exit' &); sleep 0.05; exit 0", 1},
	"empty environment":    {"(env -i setsid sleep TAG &); sleep 0.05; exit 0", 1},
	"ignores TERM":         {"(trap '' TERM; exec sleep TAG) & sleep 0.05; exit 0", 1},
	"stopped":              {"sleep TAG & kill -STOP $!; exit 0", 1},
	"stopped, ignoring":    {"(trap '' TERM; exec sleep TAG) & sleep 0.05; kill -STOP $!; exit 0", 1},
	"four deep":            {"sh -c 'sh -c \"sh -c \\\"sleep TAG; :\\\"; :\"; :' & sleep 0.05; exit 0", 4},
	"a hundred":            {"i=0; while [ $i -lt 100 ]; do sleep TAG & i=$((i+1)); done; exit 0", 100},
	"a group each":         {"set -m; sleep TAG & sleep TAG & sleep TAG & exit 0", 3},
	"forks while it dies":  {"(trap '' TERM; while :; do sleep TAG & sleep 0.005; done) & sleep 0.02; exit 0", 1},
	"closed descriptors":   {"sleep TAG <&- >&- 2>&- & exit 0", 1},
	"changed directory":    {"cd /; rm -rf \"$OLDPWD/gone\"; sleep TAG & exit 0", 1},
	"a child of a zombie":  {"sh -c 'sleep TAG & sleep 0.02' & sleep 0.05; exit 0", 1},
	"killed":               {"sleep TAG & kill -9 $$", 1},
	"many ignoring in two": {"for i in 1 2 3 4 5; do (trap '' TERM; setsid sh -c 'sleep TAG & wait' &) ; done; sleep 0.1; exit 0", 5},
}

// TestTreesAreCleared: when the exit record is there nothing of the run is,
// on the kernel's word.
func TestTreesAreCleared(t *testing.T) {
	s := newScene(t)
	eachTree(t, func(t *testing.T, tree string) {
		for name, habit := range habits {
			t.Run(name, func(t *testing.T) {
				tag := newTag()
				sweep(t, tag)
				s := &scene{t, s.home}
				l := s.launch(tree, 100*time.Millisecond, "sh", "-c", strings.ReplaceAll(habit.script, "TAG", tag))
				r, _ := s.start(l)
				require.NotNil(t, r.Process, "%+v", r)
				require.Equal(t, tree == "cgroup", r.Process.Cgroup != "")
				e := s.exit(l.ID)
				require.Empty(t, tagged(tag), "the record says the tree is %s", e.Tree)
				require.Equal(t, journal.TreeEmpty, e.Tree)
				require.Equal(t, journal.ObservedWaited, e.Observed)
				require.GreaterOrEqual(t, len(e.Leftovers), habit.left)
				for _, left := range e.Leftovers {
					require.True(t, left.Cleared, "%+v", left)
					require.NotZero(t, left.StartTicks)
				}
				if name == "killed" {
					require.Equal(t, 9, *e.Signal)
				} else {
					require.Equal(t, 0, *e.Code)
				}
				if tree == "cgroup" {
					require.NoDirExists(t, r.Process.Cgroup)
				}
				require.NoFileExists(t, l.EnvFile)
			})
		}
	})
}

// TestHurry: a shim that is told so spares no one, whatever the grace.
func TestHurry(t *testing.T) {
	eachTree(t, func(t *testing.T, tree string) {
		s := newScene(t)
		tag := newTag()
		sweep(t, tag)
		l := s.launch(tree, time.Hour, "sh", "-c", "trap '' TERM; (setsid sleep "+tag+" &); sleep "+tag)
		r, shim := s.start(l)
		require.NotNil(t, r.Process)
		eventually(t, "the tree", func() bool { return len(tagged(tag)) >= 3 })
		require.NoError(t, Signal(shim, SignalHurry))
		e := s.exit(l.ID)
		require.Empty(t, tagged(tag))
		require.Equal(t, 9, *e.Signal)
		require.Equal(t, journal.TreeEmpty, e.Tree)
	})
}

// TestHurryDuringGrace: the order may come when the child is gone already and
// the rest still has its grace.
func TestHurryDuringGrace(t *testing.T) {
	eachTree(t, func(t *testing.T, tree string) {
		s := newScene(t)
		tag := newTag()
		sweep(t, tag)
		l := s.launch(tree, time.Hour, "sh", "-c", "(trap '' TERM; exec sleep "+tag+") & sleep 0.05; exit 4")
		r, shim := s.start(l)
		require.NotNil(t, r.Process)
		eventually(t, "the child's end", func() bool { alive, err := Alive(r.Process.Identity); return err == nil && !alive })
		require.NoFileExists(t, s.home.File(l.ID, journal.ExitFile))
		require.NoError(t, Signal(shim, SignalHurry))
		e := s.exit(l.ID)
		require.Empty(t, tagged(tag))
		require.Equal(t, 4, *e.Code)
		require.Equal(t, journal.TreeEmpty, e.Tree)
	})
}

// TestShimIsNotEndedByCommonSignals: it would take the child's truth with it.
func TestShimIsNotEndedByCommonSignals(t *testing.T) {
	s := newScene(t)
	l := s.launch("subreaper", 0, "sh", "-c", "read x; exit 5")
	l.Stdin = journal.Stdin{Mode: "open"}
	r, shim := s.start(l)
	require.NotNil(t, r.Process)
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE, SignalBack} {
		require.NoError(t, Signal(shim, sig))
	}
	fifo, err := os.OpenFile(s.home.File(l.ID, journal.StdinFile), os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = fifo.WriteString("go\n")
	require.NoError(t, err)
	require.NoError(t, fifo.Close())
	require.Equal(t, 5, *s.exit(l.ID).Code)
}

// TestDescendantsAgainstAnOracle compares our walk with gopsutil's.
func TestDescendantsAgainstAnOracle(t *testing.T) {
	s := newScene(t)
	tag := newTag()
	sweep(t, tag)
	l := s.launch("subreaper", 0, "sh", "-c", strings.ReplaceAll("sh -c 'sh -c \"sleep TAG & sleep TAG\" & sleep TAG' & (setsid sleep TAG &); sleep TAG", "TAG", tag))
	r, shim := s.start(l)
	require.NotNil(t, r.Process)
	eventually(t, "the tree", func() bool { return len(tagged("sleep\x00"+tag)) == 5 })
	var ours []int
	for _, st := range descendants(shim.PID) {
		ours = append(ours, st.pid)
	}
	require.ElementsMatch(t, below(t, int32(shim.PID)), ours)
	require.ElementsMatch(t, childrenByScan(shim.PID), childrenOf(shim.PID))

	members := Members(l.ID, r.Process)
	require.Len(t, members, len(ours))
	for _, m := range members {
		require.True(t, m.Certain)
		require.Contains(t, ours, m.PID)
	}
	require.NoError(t, Signal(shim, SignalHurry))
	s.exit(l.ID)
}

func below(t *testing.T, pid int32) []int {
	var list []int
	all, err := process.Processes()
	require.NoError(t, err)
	for _, p := range all {
		if ppid, err := p.Ppid(); err == nil && ppid == pid {
			list = append(append(list, int(p.Pid)), below(t, p.Pid)...)
		}
	}
	return list
}
