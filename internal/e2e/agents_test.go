package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// protocols are the runtimes, one for each protocol and way of speaking it.
var protocols = []string{"pi", "claude", "codex", "gemini", "opencode"}

// TestAgents runs the scripts about agents with every protocol, played by the
// fake agent. What the real ones do is another test's.
func TestAgents(t *testing.T) {
	for _, name := range protocols {
		t.Run(name, func(t *testing.T) {
			p := params(filepath.Join(scripts, "agent"), "auto")
			setup, known := p.Setup, p.Condition
			p.Condition = func(c string) (bool, error) {
				if slices.Contains(protocols, c) {
					return c == name, nil
				}
				return known(c)
			}
			p.Setup = func(e *testscript.Env) error {
				e.Setenv("AGENT", name)
				e.Setenv("AGENT_RUNS_RUNTIME", name)
				bin := filepath.Join(e.WorkDir, "bin")
				e.Setenv("PATH", bin+string(os.PathListSeparator)+e.Getenv("PATH"))
				if err := playedBy(bin, name); err != nil {
					return err
				}
				return setup(e)
			}
			testscript.Run(t, p)
		})
	}
}

// playedBy puts the fake agent where an agent of that name is looked for.
func playedBy(bin, name string) error {
	fake, err := findFake()
	if err != nil {
		return err
	}
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	return os.Symlink(fake, filepath.Join(bin, name))
}

// findFake is where TestMain built it.
func findFake() (string, error) { return exec.LookPath("fakeagent") }
