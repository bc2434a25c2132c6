// Package layout_test holds which package may know which.
package layout_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/agent-runs/agent-runs/"

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

// list asks go list about the packages, built for goos and without cgo, which
// would hide what a plain build links.
func list(t *testing.T, goos string, args ...string) []pkg {
	t.Helper()
	c := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, args...)...)
	c.Dir = "../.."
	c.Env = append(os.Environ(), "GOOS="+goos, "GOFLAGS=-buildvcs=false")
	c.Stderr = os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

// mayKnow is the direction of the dependencies. What is below internal/ may
// be known to all and knows nothing of ours itself.
var mayKnow = map[string][]string{
	"journal":      {},
	"ipc":          {"journal"},
	"launch":       {"journal"},
	"settings":     {"journal"},
	"supervisor":   {"journal", "ipc", "launch", "settings"},
	"plan":         {},
	"cmd/internal": {"journal", "ipc", "launch", "settings", "supervisor", "plan"},
	"cmd":          {"journal", "ipc", "launch", "settings", "supervisor", "plan", "cmd/internal"},
}

func layer(path string) string {
	path = strings.TrimPrefix(path, module)
	if strings.HasPrefix(path, "cmd/internal/") {
		return "cmd/internal"
	}
	first, _, _ := strings.Cut(path, "/")
	return first
}

func TestDependenciesPointOneWay(t *testing.T) {
	seen := map[string]bool{}
	for _, goos := range []string{"linux", "darwin"} {
		for _, p := range list(t, goos, "./...") {
			from := layer(p.ImportPath)
			seen[from] = true
			for _, i := range p.Imports {
				if !strings.HasPrefix(i, module) || layer(i) == from && from != "internal" {
					continue
				}
				to := layer(i)
				switch from {
				case "testdata":
				case "internal":
					require.True(t, to == "internal" || isTestOnly(p.ImportPath), "%s knows %s", p.ImportPath, i)
				default:
					known, ok := mayKnow[from]
					require.True(t, ok, "%s has no place in the layout", p.ImportPath)
					require.True(t, to == "internal" || slices.Contains(known, to), "%s knows %s", p.ImportPath, i)
				}
			}
		}
	}
	for l := range mayKnow {
		require.True(t, seen[l], "there is no %s any more", l)
	}
}

// isTestOnly names packages that no program is built from.
func isTestOnly(path string) bool {
	for _, dir := range []string{"internal/crash", "internal/e2e", "internal/bench", "internal/layout"} {
		if strings.HasPrefix(path, module+dir) {
			return true
		}
	}
	return false
}

// TestProgramsStayLean: net, os/user and cgo make a program dynamic and slow
// to start, and each shim is one. Test helpers have no place in it at all.
func TestProgramsStayLean(t *testing.T) {
	for _, goos := range []string{"linux", "darwin"} {
		for _, p := range list(t, goos, "./cmd/delegate", "./cmd/agent-runs") {
			for _, dep := range p.Deps {
				for _, never := range []string{"testing", "github.com/stretchr/", "github.com/rogpeppe/", "pgregory.net/", "go.uber.org/goleak", module + "internal/e2e", module + "internal/crash", module + "internal/bench"} {
					require.False(t, strings.HasPrefix(dep, never), "%s on %s links %s", p.ImportPath, goos, dep)
				}
				if goos != "linux" {
					continue
				}
				require.NotContains(t, []string{"net", "os/user", "runtime/cgo"}, dep, p.ImportPath)
				require.False(t, strings.HasPrefix(dep, "github.com/shirou/gopsutil"), "%s links %s", p.ImportPath, dep)
			}
		}
	}
}

// TestOtherSystemsAreToldSo: the first error names the reason.
func TestOtherSystemsAreToldSo(t *testing.T) {
	for _, goos := range []string{"windows", "freebsd"} {
		c := exec.Command("go", "build", "-o", os.DevNull, "./cmd/delegate")
		c.Dir = "../.."
		c.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
		out, err := c.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "agent_runs_works_on_linux_and_macos_only")
		require.Equal(t, 1, strings.Count(string(out), "undefined"), "%s", out)
	}
}
