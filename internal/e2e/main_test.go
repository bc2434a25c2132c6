package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain builds the commands and the zoo once and puts them on PATH. They
// are real programs and not functions of this one, because supervisors and
// shims are started through /proc/self/exe.
func TestMain(m *testing.M) {
	os.Exit(withPrograms(m.Run))
}

func withPrograms(run func() int) int {
	bin, err := os.MkdirTemp("", "agent-runs-e2e-")
	if err == nil {
		defer os.RemoveAll(bin)
		err = os.Chmod(bin, 0o755) // a script runs them as another user
	}
	if err == nil {
		err = build(bin)
	}
	if err == nil {
		err = cleanEnvironment(bin)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return run()
}

func build(bin string) error {
	args := []string{"build", "-o", bin}
	if raceDetector {
		args = append(args, "-race")
	}
	c := exec.Command("go", append(args, "./cmd/delegate", "./cmd/agent-runs", "./testdata/zoo", "./testdata/fakeagent")...)
	c.Dir = filepath.Join("..", "..")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", c.Args, err, out)
	}
	return nil
}

// cleanEnvironment takes away what makes us somebody: an owner, a run.
func cleanEnvironment(bin string) error {
	for _, name := range []string{"PI_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "AGENT_RUNS_OWNER", "AGENT_RUNS_RUN_ID", "AGENT_RUNS_HOME", "AGENT_RUNS_TREE", "AGENT_RUNS_RUNTIME", "PI_CODING_AGENT", "CLAUDECODE", "GEMINI_CLI", "OPENCODE"} {
		if err := os.Unsetenv(name); err != nil {
			return err
		}
	}
	// A program with the race detector sleeps a second before it exits.
	if err := os.Setenv("GORACE", strings.TrimSpace(os.Getenv("GORACE")+" atexit_sleep_ms=0")); err != nil {
		return err
	}
	return os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}
