package launch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

// group makes a directory that looks like a cgroup.
func group(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o644))
	}
	return dir
}

// TestBasis: the group for a run with ceilings is made in the nearest one that
// hands the controllers down, and nobody gets out of a bound that way.
func TestBasis(t *testing.T) {
	root := group(t, t.TempDir(), map[string]string{"cgroup.controllers": "cpu memory pids", "cgroup.subtree_control": "cpu memory pids"})
	slice := group(t, filepath.Join(root, "user.slice"), map[string]string{"cgroup.type": "domain", "cgroup.subtree_control": "memory pids", "memory.max": "7", "pids.max": "7"})
	half := group(t, filepath.Join(slice, "half"), map[string]string{"cgroup.type": "domain", "cgroup.subtree_control": "pids", "memory.max": "max", "pids.max": "50"})
	scope := group(t, filepath.Join(half, "scope"), map[string]string{"cgroup.type": "domain", "cgroup.subtree_control": "", "memory.max": "4096", "pids.max": "max"})
	for name, c := range map[string]struct {
		from       string
		want, have Ceilings
		base       string
	}{
		"the own one":            {slice, Ceilings{100, 0}, Ceilings{100, 0}, slice},
		"past one of them":       {half, Ceilings{100, 0}, Ceilings{100, 50}, slice},
		"tighter ceilings hold":  {scope, Ceilings{100, 20}, Ceilings{100, 20}, slice},
		"bounds of others do":    {scope, Ceilings{1 << 30, 100}, Ceilings{4096, 50}, slice},
		"also where none is set": {scope, Ceilings{0, 10}, Ceilings{4096, 10}, slice},
		"the root":               {root, Ceilings{1, 1}, Ceilings{1, 1}, root},
	} {
		base, have := place{root, c.from}.basis(c.want)
		require.Equal(t, c.base, base, name)
		require.Equal(t, c.have, have, name)
	}
}

// TestNoBasis names what is missing.
func TestNoBasis(t *testing.T) {
	for name, c := range map[string]struct {
		root   map[string]string
		reason string
	}{
		"with version 1": {map[string]string{"cgroup.controllers": "hugetlb", "cgroup.subtree_control": ""}, "are not with cgroup version 2"},
		"a container":    {map[string]string{"cgroup.controllers": "memory pids", "cgroup.subtree_control": "", "cgroup.type": "domain"}, "has processes of its own"},
	} {
		root := group(t, t.TempDir(), c.root)
		_, err := place{root, root}.makeBounded("x", Ceilings{1, 1})
		var none *NoCeilings
		require.ErrorAs(t, err, &none, name)
		require.ErrorContains(t, err, c.reason, name)
		require.NotEmpty(t, none.Try, name)
	}
}

// TestRootCould: only the root of all groups may be asked for the controllers,
// and to look whether it could changes nothing.
func TestRootCould(t *testing.T) {
	root := group(t, t.TempDir(), map[string]string{"cgroup.controllers": "memory pids", "cgroup.subtree_control": ""})
	below := group(t, filepath.Join(root, "below"), map[string]string{"cgroup.type": "domain", "cgroup.subtree_control": ""})
	p := place{root, below}
	require.True(t, p.rootCould())
	b, err := os.ReadFile(filepath.Join(root, "cgroup.subtree_control"))
	require.NoError(t, err)
	require.Equal(t, "\n", string(b))
	group(t, root, map[string]string{"cgroup.type": "domain"})
	require.False(t, p.rootCould(), "a container's own root is not the root of all")
}

// TestTell: only a run that was over its own ceiling was ended for it.
func TestTell(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  journal.Exit
	}{
		"without controllers":        {nil, journal.Exit{}},
		"nothing happened":           {map[string]string{"memory.events": "oom 0\noom_kill 0", "memory.events.local": "oom 0\noom_kill 0", "pids.events": "max 0"}, journal.Exit{}},
		"over its own":               {map[string]string{"memory.events": "low 0\noom 1\noom_kill 3\noom_group_kill 1", "memory.events.local": "oom 1\noom_kill 3"}, journal.Exit{OOMKills: 3}},
		"the machine was full":       {map[string]string{"memory.events": "oom 0\noom_kill 3", "memory.events.local": "oom 0\noom_kill 3"}, journal.Exit{}},
		"over one of its own making": {map[string]string{"memory.events": "oom 1\noom_kill 1", "memory.events.local": "oom 0\noom_kill 0"}, journal.Exit{}},
		"forks":                      {map[string]string{"pids.events": "max 22"}, journal.Exit{ForksDenied: 22}},
	} {
		var e journal.Exit
		(&Cgroup{group(t, t.TempDir(), c.files)}).tell(&e)
		require.Equal(t, c.want, e, name)
	}
}

// TestCeilingsOrNothing: a shim that cannot set them starts nothing.
func TestCeilingsOrNothing(t *testing.T) {
	s := newScene(t)
	for _, tree := range []string{"subreaper", "auto", "cgroup"} {
		if tree != "subreaper" && CeilingsUsable(0) == nil {
			t.Logf("NOT TESTED: %s without ceilings, as they can be had here", tree)
			continue
		}
		s := &scene{t, s.home}
		l := s.launch(tree, 0, "touch", "started")
		l.Limits.MaxProcesses = 10
		r, _ := s.start(l)
		require.True(t, r.Failed)
		e := s.exit(l.ID)
		require.Equal(t, "limits", e.LaunchError.Stage)
		require.NotEmpty(t, e.LaunchError.Message)
		require.NoFileExists(t, s.home.File(l.ID, "started"))
	}
}
