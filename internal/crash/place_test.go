//go:build linux

package crash

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/internal/crash/check"
	"github.com/agent-runs/agent-runs/journal"
)

// patience bounds every wait. Nothing that works takes a tenth of it.
const patience = 30 * time.Second

// place is a home of its own with everything that is started in it.
type place struct {
	t       testing.TB
	dir     string
	home    journal.Home
	points  string // AGENT_RUNS_FAILPOINT_DIR
	witness string
	env     []string
	first   string              // the run that a scene is about
	user    *syscall.Credential // who everything is started as; nil: ourselves

	mu    sync.Mutex
	truth check.Truth
	calls []*call
}

// newPlace makes an empty place. What it started and what that started is
// gone when the test ends.
func newPlace(t testing.TB, env ...string) *place {
	dir, err := os.MkdirTemp("", "crash-")
	if err != nil {
		t.Fatal(err)
	}
	return placeAt(t, dir, env...)
}

func placeAt(t testing.TB, dir string, env ...string) *place {
	p := &place{t: t, dir: dir, home: journal.Home{Dir: filepath.Join(dir, "home")},
		points: filepath.Join(dir, "points"), witness: filepath.Join(dir, "witness")}
	p.env = append(withoutOurs(os.Environ()), "AGENT_RUNS_HOME="+p.home.Dir, "AGENT_RUNS_LINGER=20s", "GORACE=atexit_sleep_ms=0",
		"HOME="+dir, "XDG_CONFIG_HOME="+filepath.Join(dir, "config")) // no settings but the test's
	p.env = append(p.env, env...)
	p.truth = check.Truth{Home: p.home.Dir, Witness: p.witness,
		Stopped: map[string]bool{}, ChildKilled: map[string]bool{}, ShimKilled: map[string]bool{}}
	if err := os.MkdirAll(p.points, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.clear)
	return p
}

// withoutOurs removes what a test started from inside a run would inherit.
func withoutOurs(env []string) []string {
	var kept []string
	for _, v := range env {
		if !strings.HasPrefix(v, "AGENT_RUNS_") {
			kept = append(kept, v)
		}
	}
	return kept
}

// finish ends the command lines that are still under way.
func (p *place) finish() {
	for _, c := range p.calls {
		if c.running() {
			c.cmd.Process.Kill()
		}
	}
}

// clear ends whatever still runs here and removes the place. A failed test
// leaves its content in the log.
func (p *place) clear() {
	if log, _ := os.ReadFile(p.home.SupervisorLog()); bytes.Contains(log, []byte("DATA RACE")) {
		p.t.Errorf("the race detector found:\n%s", log)
	}
	if p.t.Failed() {
		p.t.Log(p.dump())
	}
	p.finish()
	until(p.t, "the place is empty of processes", func() bool {
		left := p.inhabitants()
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		return len(left) == 0
	})
	p.removeCgroups()
	if err := os.RemoveAll(p.dir); err != nil {
		p.t.Log(err)
	}
}

// removeCgroups is for runs that the tests left unproven on purpose.
func (p *place) removeCgroups() {
	for _, id := range p.runIDs() {
		var r journal.Process
		if journal.Read(p.home.File(id, journal.ProcessFile), &r) == nil && r.Cgroup != "" {
			until(p.t, "the cgroup is removed", func() bool { // busy for a moment after the last one died
				return errors.Is(os.Remove(r.Cgroup), os.ErrNotExist)
			})
		}
		os.Remove("/dev/shm/agent-runs-" + id + ".env")
	}
}

// runIDs lists the runs, oldest first.
func (p *place) runIDs() []string {
	ids, err := journal.RunIDs(p.home)
	if err != nil {
		p.t.Error(err)
	}
	slices.Sort(ids)
	return ids
}

// done reports whether a run has its result.
func (p *place) done(id string) bool {
	return there(p.home.File(id, journal.ResultFile))
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// note remembers what is durable at this moment: what was acknowledged must
// not get lost from here on.
func (p *place) note() {
	p.mu.Lock()
	defer p.mu.Unlock()
	files, _ := filepath.Glob(p.home.Commands() + "/*.json")
	for _, f := range files {
		if id := strings.TrimSuffix(filepath.Base(f), ".json"); slices.Contains(p.truth.Acknowledged, id) || slices.Contains(p.truth.Commands, id) {
			continue
		}
		var c journal.Command
		if journal.Read(f, &c) == nil {
			p.acknowledge(c)
		}
	}
}

func (p *place) acknowledge(c journal.Command) {
	list := &p.truth.Commands
	if c.Action == journal.ActionRun {
		list = &p.truth.Acknowledged
	}
	if !slices.Contains(*list, c.ID) {
		*list = append(*list, c.ID)
	}
}

// until waits for a condition. It is the only way of waiting in these tests.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	if err := within(patience, what, cond); err != nil {
		t.Fatal(err)
	}
}

func within(d time.Duration, what string, cond func() bool) error {
	for deadline := time.Now().Add(d); !cond(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("in %v it did not happen that %s", d, what)
		}
	}
	return nil
}

// dump shows the place for the log of a failed test.
func (p *place) dump() string {
	var b strings.Builder
	fmt.Fprintf(&b, "content of %s:\n", p.dir)
	filepath.WalkDir(p.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		name, _ := filepath.Rel(p.dir, path)
		fmt.Fprintf(&b, "--- %s\n%s", name, excerpt(path))
		return nil
	})
	for _, q := range p.processes() {
		fmt.Fprintf(&b, "process %+v\n", q)
	}
	return b.String()
}

func excerpt(path string) string {
	const most = 3000
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	body, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return ""
	case len(body) > most:
		return fmt.Sprintf("%s\n… %d bytes\n", body[:200], len(body))
	}
	return string(body) + "\n"
}
