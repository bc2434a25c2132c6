//go:build linux

package crash

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// disk is a small file system that can be filled to the last byte.
type disk struct {
	t   testing.TB
	dir string
}

// newDisk mounts one, which takes root.
func newDisk(t testing.TB) *disk {
	dir, err := os.MkdirTemp("", "crash-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dir) })
	err = unix.Mount("crash", dir, "tmpfs", 0, "size=4m,nr_inodes=2000,mode=0700")
	if errors.Is(err, unix.EPERM) {
		t.Skipf("SKIPPED, NOT TESTED: a full disk needs the right to mount one: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		until(t, "the disk is unmounted", func() bool { return unix.Unmount(dir, 0) == nil })
	})
	return &disk{t, dir}
}

// fill leaves no room for a byte, or for a name.
func (d *disk) fill() {
	d.t.Helper()
	f, err := os.OpenFile(filepath.Join(d.dir, "ballast"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil && !errors.Is(err, unix.ENOSPC) {
		d.t.Fatal(err)
	}
	if err == nil {
		defer f.Close()
		for err == nil {
			_, err = f.Write(make([]byte, 64<<10))
		}
		for err = nil; err == nil; {
			_, err = f.Write([]byte{0})
		}
	}
	for i := 0; err == nil || errors.Is(err, io.ErrShortWrite); i++ {
		err = os.WriteFile(filepath.Join(d.dir, "ballast-"+strconv.Itoa(i)), nil, 0o600)
	}
	if !errors.Is(err, unix.ENOSPC) {
		d.t.Fatal(err)
	}
}

// free makes room again.
func (d *disk) free() {
	d.t.Helper()
	files, _ := filepath.Glob(filepath.Join(d.dir, "ballast*"))
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			d.t.Fatal(err)
		}
	}
}

// placeOn makes a place whose home is on the disk. The witness is not: it has
// to tell of what happens meanwhile.
func (d *disk) place(env ...string) *place {
	p := newPlace(d.t, env...)
	p.home = journal.Home{Dir: filepath.Join(d.dir, "home")}
	p.truth.Home = p.home.Dir
	p.env = append(p.env, "AGENT_RUNS_HOME="+p.home.Dir)
	return p
}

// TestFullDiskExit: a child that ends while the disk is full has its end
// recorded when there is room again, by those who saw it.
func TestFullDiskExit(t *testing.T) {
	d := newDisk(t)
	p := d.place()
	id := p.reader()
	d.fill()
	syscall.Kill(p.childOf(id).pid, syscall.SIGKILL)
	until(t, "the child has ended", func() bool { _, alive := p.liveChild(id); return !alive })
	p.truth.ChildKilled[id] = true
	p.steadily(func() bool { return !there(p.home.File(id, journal.ExitFile)) })
	d.free()
	until(t, "the run is settled", func() bool { return p.done(id) })
	var e journal.Exit
	if err := journal.Read(p.home.File(id, journal.ExitFile), &e); err != nil || e.Signal == nil || *e.Signal != 9 || e.Observed != journal.ObservedWaited {
		t.Errorf("exit %+v, %v", e, err)
	}
	p.ordinary()
	p.judge()
	p.judgeCompletions()
}

// TestFullDiskStop: an order to stop that is given on a full disk spends the
// home's reserve; what fills the disk can be stopped.
func TestFullDiskStop(t *testing.T) {
	d := newDisk(t)
	p := d.place()
	id := p.stubborn()
	child := p.childOf(id)
	p.truth.Stopped[id] = true
	d.fill()
	if !there(filepath.Join(p.home.Dir, "reserve")) {
		t.Error("no reserve was kept")
	}
	if c := p.runs("stop", id); c.wait() != 0 {
		t.Errorf("stop on a full disk: exit code %d: %s", c.wait(), c.err.String())
	}
	if child.alive() {
		t.Error("the child is alive")
	}
	d.free()
	p.ordinary()
	p.judge()
}

// TestFullDiskRunsOn: an order that was given before the disk filled is
// obeyed although nothing can be written, and recorded when there is room.
func TestFullDiskRunsOn(t *testing.T) {
	d := newDisk(t)
	p := d.place()
	id := p.stubborn()
	child := p.childOf(id)
	p.truth.Stopped[id] = true
	os.Remove(filepath.Join(p.home.Dir, "reserve"))
	order := p.runs("stop", id)
	until(t, "the order is there", func() bool { return p.open() == 2 || p.done(id) })
	d.fill()
	until(t, "the child has ended", func() bool { return !child.alive() })
	d.free()
	if code := order.wait(); code != 0 {
		t.Errorf("stop: exit code %d: %s", code, order.err.String())
	}
	p.ordinary()
	p.judge()
}

// TestFullDiskDelegate: no room means one clear line, and nothing half-written.
func TestFullDiskDelegate(t *testing.T) {
	d := newDisk(t)
	p := d.place()
	refuse := func(when string) {
		t.Helper()
		d.fill()
		before := p.runIDs()
		c := p.delegate(nil, "true")
		code := c.wait()
		if lines := strings.Split(strings.TrimSpace(c.err.String()), "\n"); code == 0 || code == 2 || !strings.HasPrefix(lines[0], "Error: ") || !strings.Contains(lines[0], "no space left") {
			t.Errorf("%s: exit code %d: %s", when, code, c.err.String())
		}
		if after := p.runIDs(); len(after) != len(before) {
			t.Errorf("%s: a refused run is there: %v", when, after)
		}
		if env, _ := filepath.Glob("/dev/shm/agent-runs-*" + c.id() + ".env"); c.id() != "" && len(env) > 0 {
			t.Errorf("%s: %v is there", when, env)
		}
		if left, _ := filepath.Glob(p.home.Dir + "/.tmp-*"); len(left) > 0 {
			t.Errorf("%s: %v is there", when, left)
		}
		d.free()
	}
	refuse("no home yet")
	p.ordinary()
	refuse("a warm supervisor")
	p.leave().wait()
	refuse("no supervisor")
	p.ordinary()
	p.judge()
}

// TestFullDiskSupervisor: a supervisor killed while the disk is full comes
// back all the same, without wearing the machine out, and takes up its runs.
func TestFullDiskSupervisor(t *testing.T) {
	d := newDisk(t)
	p := d.place()
	id := p.reader()
	d.fill()
	for range 3 {
		old := p.withRole("supervisor")
		p.kill(old)
		if err := within(2*time.Second, "a supervisor is back", func() bool { return len(p.withRole("supervisor")) == 1 }); err != nil {
			t.Fatal(err)
		}
	}
	now := p.withRole("supervisor")[0]
	p.steadily(func() bool { return now.alive() })
	d.free()
	var s journal.Supervisor
	until(t, "it has written who it is", func() bool {
		return journal.Read(p.home.Supervisor(), &s) == nil && s.PID == now.pid
	})
	if c := p.stop(id); c.wait() != 0 {
		t.Errorf("stop: %s", c.err.String())
	}
	p.ordinary()
	p.judge()
}

// steadily holds a condition for a while: it is about what must not happen.
func (p *place) steadily(cond func() bool) {
	p.t.Helper()
	if within(500*time.Millisecond, "", func() bool { return !cond() }) == nil {
		p.t.Error("it did not stay so")
	}
}
