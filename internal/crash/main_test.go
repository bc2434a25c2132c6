package crash

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
)

// rolePost makes the test program post one command: a command line of which
// the tests can kill any instant, without its conveniences.
const rolePost = "post-command"

// bin is where the programs under test are, built once for all tests.
var bin string

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == rolePost {
		os.Exit(postCommand(os.Args[2]))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if bin, err = os.MkdirTemp("", "agent-runs-crash-bin-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(bin)
	args := append([]string{"build", "-o", bin + "/"}, buildFlags...)
	args = append(args, "github.com/agent-runs/agent-runs/cmd/delegate", "./testdata/child")
	build := exec.Command("go", args...)
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the programs under test:", err)
		return 1
	}
	return m.Run()
}

func postCommand(body string) int {
	var c journal.Command
	err := json.Unmarshal([]byte(body), &c)
	if err == nil {
		err = ipc.Post(journal.Home{Dir: os.Getenv("AGENT_RUNS_HOME")}, c)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// program returns the path of a program under test.
func program(name string) string { return filepath.Join(bin, name) }
