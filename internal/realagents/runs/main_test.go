package runs

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// asked is the variable that turns the tests on: they take minutes and need what .ci/agents installs.
const asked = "AGENT_RUNS_REAL_AGENTS"

var update = flag.Bool("update", false, "write docs/agents.md instead of comparing it")

// bin is where TestMain built the commands. They are real programs, because supervisors and shims are started
// through /proc/self/exe.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withPrograms(m.Run))
}

func withPrograms(run func() int) int {
	if os.Getenv(asked) != "1" {
		return run() // the tests say that they are skipped
	}
	dir, err := os.MkdirTemp("", "agent-runs-real-")
	if err == nil {
		defer os.RemoveAll(dir)
		bin = dir
		c := exec.Command("go", "build", "-o", dir, "./cmd/delegate", "./cmd/agent-runs")
		c.Dir = filepath.Join("..", "..", "..")
		var out []byte
		if out, err = c.CombinedOutput(); err != nil {
			err = fmt.Errorf("%v: %w\n%s", c.Args, err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}
