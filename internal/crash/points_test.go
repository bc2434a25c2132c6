//go:build linux && failpoint

package crash

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
)

// trace runs a scene undisturbed and returns the instants it passes through,
// each once, in order.
func trace(t *testing.T, s scene) []string {
	p := newPlace(t)
	p.env = append(p.env, "AGENT_RUNS_FAILPOINT_DIR="+p.points)
	s.prepare(p)
	p.spareIsThere()
	file := filepath.Join(p.points, "trace")
	before, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	s.act(p)
	until(t, "the scene ends", func() bool { return s.done(p) })
	all, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var points []string
	for line := range strings.Lines(string(all[len(before):])) {
		if name, _, ok := strings.Cut(line, " "); ok && !slices.Contains(points, name) {
			points = append(points, name)
		}
	}
	return points
}

// spareIsThere returns when nothing of the preparation is still to come: a
// supervisor starts its spare shim a moment after the last run began, and an
// instant of that must not be taken for one of the scene.
func (p *place) spareIsThere() {
	p.t.Helper()
	until(p.t, "a spare shim is ready, or nobody supervises", func() bool {
		if len(p.withRole("supervisor")) == 0 {
			return true
		}
		live := 0
		for _, id := range p.runIDs() {
			if there(p.home.File(id, journal.ProcessFile)) && !there(p.home.File(id, journal.ExitFile)) {
				live++
			}
		}
		trace, err := os.ReadFile(filepath.Join(p.points, "trace"))
		begun, done := bytes.Count(trace, []byte("shim/spawn@")), bytes.Count(trace, []byte("shim/spawned@"))
		return err == nil && begun == done && len(p.withRole("shim")) > live
	})
}

// declared lists the failpoints in the source: names that are literal, and
// "*/suffix" for those made of a record's name. A call whose name cannot be
// read here cannot be enumerated by anybody, and fails the test.
func declared(t *testing.T, root string) []string {
	var names []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_darwin.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && isHit(c) {
				name := nameOf(c.Args[0])
				if name == "" {
					t.Errorf("%s: the name of a failpoint is neither constant nor record name + constant", path)
				}
				names = append(names, name)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func isHit(c *ast.CallExpr) bool {
	f, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Hit" {
		return false
	}
	pkg, ok := f.X.(*ast.Ident)
	return ok && pkg.Name == "failpoint" && len(c.Args) == 1
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil {
			return s
		}
	case *ast.BinaryExpr:
		if s := nameOf(e.Y); e.Op == token.ADD && strings.HasPrefix(s, "/") {
			return "*" + s
		}
	}
	return ""
}

// reached reports whether one of the points is the declared one.
func reached(name string, points []string) bool {
	return slices.ContainsFunc(points, func(p string) bool {
		base, _, _ := strings.Cut(p, "@")
		suffix, any := strings.CutPrefix(name, "*")
		return base == name || any && strings.HasSuffix(base, suffix)
	})
}
