//go:build failpoint

// Package failpoint names the instants at which the crash tests kill us.
// This is the version compiled into test programs only.
package failpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Hit marks an instant. With AGENT_RUNS_FAILPOINT_DIR set it appends its name
// and the role of this process, "name@role", to DIR/trace. If DIR/armed holds
// the same, the first process to get here writes DIR/hit (its pid) and holds
// still until DIR/go exists, so that the test can kill whomever it wants at
// exactly this instant.
func Hit(name string) {
	dir := os.Getenv("AGENT_RUNS_FAILPOINT_DIR")
	if dir == "" {
		return
	}
	point := name + "@" + role()
	if f, err := os.OpenFile(filepath.Join(dir, "trace"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600); err == nil {
		fmt.Fprintf(f, "%s %d\n", point, os.Getpid())
		f.Close()
	}
	armed, err := os.ReadFile(filepath.Join(dir, "armed"))
	if err != nil || string(armed) != point {
		return
	}
	tmp := filepath.Join(dir, fmt.Sprintf(".hit-%d-%d", os.Getpid(), time.Now().UnixNano()))
	if err := os.WriteFile(tmp, []byte(fmt.Sprint(os.Getpid())), 0o600); err != nil {
		return
	}
	defer os.Remove(tmp)
	if err := os.Link(tmp, filepath.Join(dir, "hit")); err != nil {
		return // another process was here first
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go")); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// role tells the parts of the program apart: the same record written by the
// shim and by the supervisor are two instants, not one.
func role() string {
	if len(os.Args) > 1 {
		if hidden, ok := strings.CutPrefix(os.Args[1], "__"); ok {
			return hidden
		}
	}
	return "cli"
}
