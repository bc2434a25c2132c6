//go:build linux

// Command bench measures what the README says about speed and size: ratios
// taken in one run, against U, the fork+exec+wait of /bin/true, measured
// between the launches it is compared with. Needs a C compiler for its child.
//
//	go run ./internal/bench [-only launch,stop,…]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	only := flag.String("only", "", "comma-separated names of measurements (default: all)")
	flag.Parse()
	if err := run(*only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measurements in the order of the table.
var measurements = []struct {
	name string
	f    func(*place) ([]row, error)
}{
	{"floor", floor}, {"launch", launch}, {"burst", burst}, {"stop", stop}, {"output", output}, {"memory", memory}, {"history", history}, {"plan", bigPlan},
}

// row is one line of the table.
type row struct{ what, value, bound string }

func run(only string) error {
	dir, err := os.MkdirTemp("", "agent-runs-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := build(dir); err != nil {
		return err
	}
	fmt.Println("| what | measured | bound |\n|---|---|---|")
	for _, m := range measurements {
		if only != "" && !strings.Contains(","+only+",", ","+m.name+",") {
			continue
		}
		p, err := newPlace(dir, m.name)
		if err != nil {
			return err
		}
		rows, err := m.f(p)
		p.close()
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for _, r := range rows {
			fmt.Printf("| %s | %s | %s |\n", r.what, r.value, r.bound)
		}
	}
	return nil
}

// build makes the two commands as a user would, and the child. They are copied,
// as an installed program is: what the linker has just written lies in memory
// in pieces of one page, and starts a fifth slower than what was written or
// read in one go.
func build(dir string) error {
	linked := filepath.Join(dir, "linked")
	for _, c := range [][]string{
		{"go", "build", "-o", linked + "/", "./cmd/delegate", "./cmd/agent-runs"},
		{"cp", filepath.Join(linked, "delegate"), filepath.Join(linked, "agent-runs"), dir},
		{"cc", "-O2", "-static", "-o", filepath.Join(dir, "kid"), "internal/bench/testdata/kid.c"},
	} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(c, " "), err, out)
		}
	}
	return nil
}
