//go:build linux

package crash

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// bin is where the programs under test are, built once for all tests.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if bin, err = os.MkdirTemp("", "agent-runs-crash-bin-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(bin)
	args := []string{"build", "-o", bin + "/"}
	if withFailpoints {
		args = append(args, "-tags", "failpoint")
	}
	if withRace {
		args = append(args, "-race")
	}
	args = append(args, "github.com/agent-runs/agent-runs/cmd/delegate", "github.com/agent-runs/agent-runs/cmd/agent-runs", "./testdata/child", "github.com/agent-runs/agent-runs/testdata/fakeagent")
	build := exec.Command("go", args...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the programs under test:", err)
		return 1
	}
	return m.Run()
}

// program returns the path of a program under test.
func program(name string) string { return filepath.Join(bin, name) }
