//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// place is a home of its own with the programs to measure.
type place struct {
	dir, bin string
	env      []string
}

func newPlace(bin, name string) (*place, error) {
	dir := filepath.Join(bin, "w-"+name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	p := &place{dir: dir, bin: bin}
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "AGENT_RUNS_") && !strings.HasPrefix(e, "HOME=") && !strings.HasPrefix(e, "XDG_CONFIG_HOME=") {
			p.env = append(p.env, e)
		}
	}
	p.env = append(p.env, "AGENT_RUNS_HOME="+p.home(), "AGENT_RUNS_LINGER=5m", "HOME="+dir)
	return p, nil
}

func (p *place) home() string { return filepath.Join(p.dir, "home") }

// close ends every run and the supervisor.
func (p *place) close() {
	p.spawn(p.cmd("agent-runs", "stop", "--all", "--grace", "0s"))
	p.spawn(p.cmd("agent-runs", "supervisor", "stop"))
}

func (p *place) cmd(name string, args ...string) []string {
	return append([]string{filepath.Join(p.bin, name)}, args...)
}

// mono is CLOCK_MONOTONIC in ns, the clock that kid stamps with.
func mono() int64 {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}

// spawn runs argv to its end with nothing between us and it, and returns how
// long it took and what it printed.
func (p *place) spawn(argv []string) (time.Duration, string, error) {
	// One that was never linked: an output file deleted per spawn would slow the
	// file system's search for free inodes, and so what is being measured.
	fd, err := unix.MemfdCreate("out", unix.MFD_CLOEXEC)
	if err != nil {
		return 0, "", err
	}
	out := os.NewFile(uintptr(fd), "out")
	defer out.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, "", err
	}
	defer null.Close()
	t := mono()
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{Env: p.env, Files: []uintptr{null.Fd(), out.Fd(), out.Fd()}})
	if err != nil {
		return 0, "", err
	}
	var ws syscall.WaitStatus
	for {
		if _, err = syscall.Wait4(pid, &ws, 0, nil); err != syscall.EINTR {
			break
		}
	}
	took := time.Duration(mono() - t)
	text, rerr := io.ReadAll(io.NewSectionReader(out, 0, 1<<20))
	if err == nil {
		err = rerr
	}
	if err == nil && ws.ExitStatus() != 0 {
		err = fmt.Errorf("%s: status %d: %s", strings.Join(argv, " "), ws.ExitStatus(), text)
	}
	return took, strings.TrimSpace(string(text)), err
}

// unit measures U once.
func (p *place) unit() time.Duration {
	d, _, err := p.spawn([]string{"/bin/true"})
	if err != nil {
		panic(err) // a machine without /bin/true measures nothing
	}
	return d
}

// stamp waits for the child's first act.
func stamp(path string) (at int64, pid int, err error) {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Microsecond) {
		b, err := os.ReadFile(path)
		if f := strings.Fields(string(b)); err == nil && len(f) >= 2 && strings.HasSuffix(string(b), "\n") {
			at, err := strconv.ParseInt(f[0], 10, 64)
			if err != nil {
				return 0, 0, err
			}
			pid, err := strconv.Atoi(f[1])
			return at, pid, err
		}
	}
	return 0, 0, fmt.Errorf("%s: no child", path)
}

// idle launches one idle child and returns its run id.
func (p *place) idle(name string) (id string, err error) {
	if id, err = p.delegate(name); err == nil {
		_, _, err = stamp(p.stampOf(name))
	}
	return id, err
}

func (p *place) delegate(name string) (id string, err error) {
	_, id, err = p.spawn(p.cmd("delegate", "-q", "--", filepath.Join(p.bin, "kid"), "idle", p.stampOf(name)))
	return id, err
}

func (p *place) stampOf(name string) string { return filepath.Join(p.dir, "stamp-"+name) }

// many launches n idle children, eight callers at a time, and returns once the
// last has begun. Nobody looks for a stamp before all are launched: looking
// costs what is being measured.
func (p *place) many(n int) (ids []string, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := make(chan int)
	for range 8 {
		wg.Go(func() {
			q := *p
			for i := range next {
				id, e := q.delegate(strconv.Itoa(i))
				mu.Lock()
				ids = append(ids, id)
				if e != nil {
					err = e
				}
				mu.Unlock()
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	for i := range n {
		if _, _, e := stamp(p.stampOf(strconv.Itoa(i))); e != nil {
			err = e
		}
	}
	return ids, err
}

func (p *place) supervisorPID() int {
	var s struct{ PID int }
	b, _ := os.ReadFile(filepath.Join(p.home(), "supervisor.json"))
	json.Unmarshal(b, &s)
	return s.PID
}

func median(v []time.Duration) time.Duration {
	slices.Sort(v)
	return v[len(v)/2]
}

// units renders a median as a multiple of U with its 90th percentile.
func units(v []time.Duration, u time.Duration) string {
	m := median(v)
	return fmt.Sprintf("%.2f U (p90 %.2f)", float64(m)/float64(u), float64(v[len(v)*9/10])/float64(u))
}
