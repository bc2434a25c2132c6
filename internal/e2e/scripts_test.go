package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/launch"
	"github.com/rogpeppe/go-internal/testscript"
)

const scripts = "../../testdata/scripts"

// TestScripts runs every script that cares for no particular way of holding
// a tree together.
func TestScripts(t *testing.T) {
	testscript.Run(t, params(scripts, "auto"))
}

// TestTrees runs the scripts about what a child leaves behind with both ways
// of holding a tree together.
func TestTrees(t *testing.T) {
	for _, tree := range []string{"cgroup", "subreaper"} {
		t.Run(tree, func(t *testing.T) {
			if err := launch.CgroupUsable(); err != nil && tree == "cgroup" {
				t.Skipf("NOT TESTED: no cgroup can be made here: %v", err)
			}
			testscript.Run(t, params(filepath.Join(scripts, "tree"), tree))
		})
	}
}

// params gives each script a home of its own and judges it at the end.
func params(dir, tree string) testscript.Params {
	return testscript.Params{
		Dir:                 dir,
		Cmds:                commands(),
		Condition:           condition(tree),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Deadline:            time.Now().Add(slowness * 4 * time.Minute),
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("AGENT_RUNS_HOME", home)
			e.Setenv("AGENT_RUNS_TREE", tree)
			e.Setenv("HOME", e.WorkDir) // no settings but the script's
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "config"))
			e.Setenv("AGENT_RUNS_LINGER", "500ms")
			e.Setenv("GOTRACEBACK", "single")
			e.Setenv("RUNS", filepath.Join(home, "runs"))
			e.Defer(func() { judge(e) })
			return nil
		},
	}
}

// condition knows [root], [race], [timens], that time name spaces can be made,
// [ceilings], that runs can have some, and [cgroup], the tree implementation.
func condition(tree string) func(string) (bool, error) {
	return func(c string) (bool, error) {
		switch c {
		case "root":
			return os.Geteuid() == 0, nil
		case "race":
			return raceDetector, nil
		case "timens":
			return exec.Command("unshare", "--time", "--fork", "--boottime", "1", "true").Run() == nil, nil
		case "ceilings":
			return launch.CeilingsUsable(0) == nil, nil
		case "cgroup":
			return tree == "cgroup", nil
		}
		return false, fmt.Errorf("unknown condition")
	}
}

// judge fails the script if it left anything but a supervisor that is about
// to leave, and ends whatever that is.
func judge(e *testscript.Env) {
	defer killAll(e.WorkDir)
	if failed, ok := e.T().(interface{ Failed() bool }); ok && failed.Failed() {
		e.T().Log("supervisor.log:\n" + logs(e.WorkDir))
		return
	}
	if complaints := leftBehind(e.WorkDir); len(complaints) > 0 {
		e.T().Fatal(fmt.Sprintf("left behind:\n%s\nsupervisor.log:\n%s", lines(complaints), logs(e.WorkDir)))
	}
}
