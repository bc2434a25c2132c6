//go:build linux

package crash

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
)

// damages are the ways in which a record can be spoilt.
var damages = map[string]func(body []byte) []byte{
	"truncated": func(b []byte) []byte { return b[:len(b)/2] },
	"emptied":   func([]byte) []byte { return nil },
	"nul":       func(b []byte) []byte { return make([]byte, len(b)) },
	"newer":     func(b []byte) []byte { return []byte(strings.Replace(string(b), `"version":1`, `"version":99`, 1)) },
}

// TestDamagedRecordOfLiveRun spoils one record of a live run while nobody
// supervises it, ends the child, and lets a supervisor find it so: the run
// settles, what is damaged is shown as damaged, and the others are unharmed.
func TestDamagedRecordOfLiveRun(t *testing.T) {
	for _, record := range []string{journal.LaunchFile, journal.ProcessFile, journal.StopFile, "admission", "command", "supervisor"} {
		for name, spoil := range damages {
			t.Run(record+"/"+name, func(t *testing.T) {
				t.Parallel()
				p := newPlace(t)
				other, id := p.reader(), p.stubborn()
				child := p.childOf(id)
				if record == journal.StopFile {
					p.runs("stop", "--no-wait", "--grace", "1h", id).wait()
					p.truth.Stopped[id] = true
				}
				p.leave().wait()
				path := p.recordPath(id, record)
				p.spoil(path, spoil)
				syscall.Kill(child.pid, syscall.SIGKILL)
				until(t, "the shim has recorded the end", func() bool { return there(p.home.File(id, journal.ExitFile)) })
				p.ordinary()
				until(t, "the run is settled", func() bool { return p.done(id) })
				if filepath.Dir(path) == p.home.Run(id) {
					p.shownAsDamaged(id, record)
				}
				p.unharmed(other)
			})
		}
	}
}

// TestDamagedRecordUnderALiveShim is the same with the child alive when the
// supervisor comes: what cannot be read is not taken for an end.
func TestDamagedRecordUnderALiveShim(t *testing.T) {
	for _, record := range []string{journal.LaunchFile, journal.ProcessFile, "admission", "command"} {
		for name, spoil := range damages {
			t.Run(record+"/"+name, func(t *testing.T) {
				t.Parallel()
				p := newPlace(t)
				other, id := p.reader(), p.reader()
				child := p.childOf(id)
				p.leave().wait()
				p.spoil(p.recordPath(id, record), spoil)
				p.ordinary()
				if p.done(id) {
					t.Error("the run is called over, and its child is alive")
				}
				syscall.Kill(child.pid, syscall.SIGTERM)
				until(t, "the run is settled", func() bool { return p.done(id) })
				p.unharmed(other)
			})
		}
	}
}

// TestDamagedRecordOfFinishedRun spoils the records of a run that is over.
func TestDamagedRecordOfFinishedRun(t *testing.T) {
	p := newPlace(t)
	for _, record := range []string{journal.LaunchFile, journal.ProcessFile, journal.ExitFile, journal.ResultFile, "admission"} {
		for name, spoil := range damages {
			t.Run(record+"/"+name, func(t *testing.T) {
				c := p.delegate([]string{"--wait"}, p.child("work", "7")...)
				c.wait()
				id := c.id()
				until(t, "the command is complete", func() bool { return p.open() == 0 })
				path := p.recordPath(id, record)
				p.spoil(path, spoil)
				if filepath.Dir(path) == p.home.Run(id) {
					p.shownAsDamaged(id, record)
				}
				p.listed(id)
			})
		}
	}
	p.ordinary()
}

func (p *place) recordPath(id, record string) string {
	switch record {
	case "admission":
		return p.home.Admission(id)
	case "command":
		return p.home.Command(id)
	case "supervisor":
		return p.home.Supervisor()
	}
	return p.home.File(id, record)
}

func (p *place) spoil(path string, how func([]byte) []byte) {
	p.t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, how(b), 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) childOf(id string) proc {
	p.t.Helper()
	q, alive := p.liveChild(id)
	if !alive {
		p.t.Fatal("the child is not alive")
	}
	return q
}

// view is what the tests look at of inspect --json and of list --json.
type view struct {
	ID      string
	Status  string
	Damaged []struct{ File, Error string }
}

func (p *place) shownAsDamaged(id, record string) {
	p.t.Helper()
	c := p.runs("inspect", "--json", id)
	if code := c.wait(); code != 0 {
		p.t.Errorf("inspect: exit code %d: %s", code, c.err.String())
	}
	var v view
	if err := json.Unmarshal(c.out.Bytes(), &v); err != nil {
		p.t.Errorf("inspect: %v: %s", err, c.out.String())
	}
	if !slices.ContainsFunc(v.Damaged, func(d struct{ File, Error string }) bool { return d.File == record && d.Error != "" }) {
		p.t.Errorf("inspect does not say that %s is damaged: %s", record, c.out.String())
	}
	p.listed(id)
}

// listed: whatever is damaged, the run is on the list.
func (p *place) listed(id string) {
	p.t.Helper()
	c := p.runs("list", "--all", "--parts", "--json", "--limit", "1000")
	if code := c.wait(); code != 0 {
		p.t.Errorf("list: exit code %d: %s", code, c.err.String())
	}
	var l struct{ Runs []view }
	if err := json.Unmarshal(c.out.Bytes(), &l); err != nil {
		p.t.Errorf("list: %v", err)
	}
	if !slices.ContainsFunc(l.Runs, func(v view) bool { return v.ID == id && v.Status != "" }) {
		p.t.Errorf("run %s is not on the list: %s", id, c.out.String())
	}
}

// unharmed: another run goes on, and can be stopped with proof.
func (p *place) unharmed(id string) {
	p.t.Helper()
	if _, alive := p.liveChild(id); !alive {
		p.t.Error("the child of another run is not alive any more")
	}
	c := p.stop(id)
	if code := c.wait(); code != 0 {
		p.t.Errorf("stop of another run: exit code %d: %s", code, c.err.String())
	}
	p.listed(id)
}
