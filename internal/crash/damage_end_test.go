//go:build linux

package crash

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
)

// planted are the ways in which something that is no record can be where the
// end of a run is going to be recorded.
var planted = map[string]func(path string) error{
	"truncated": func(path string) error { return os.WriteFile(path, []byte(`{"version":1,"id":"01`), 0o600) },
	"emptied":   func(path string) error { return os.WriteFile(path, nil, 0o600) },
	"nul":       func(path string) error { return os.WriteFile(path, make([]byte, 200), 0o600) },
	"symlink":   func(path string) error { return os.Symlink("/dev/null", path) },
	"directory": func(path string) error { return os.Mkdir(path, 0o700) },
}

// absences are who may be missing when somebody asks about the run.
var absences = map[string]func(p *place, id string){
	"nobody":          func(*place, string) {},
	"supervisor-left": func(p *place, _ string) { p.leave().wait() },
	"shim-killed":     func(p *place, id string) { p.truth.ShimKilled[id] = true; p.kill(p.withRole("shim")) },
	"both": func(p *place, id string) {
		p.truth.ShimKilled[id] = true
		p.leave().wait()
		p.kill(p.withRole("shim"))
	},
}

// TestDamagedEndOfALiveRun: what cannot be read is no verdict while the run is
// alive. Nobody takes it for over, nobody removes it, and a stop ends it.
func TestDamagedEndOfALiveRun(t *testing.T) {
	for _, record := range []string{journal.ExitFile, journal.ResultFile} {
		for how, plant := range planted {
			for missing, remove := range absences {
				t.Run(record+"/"+how+"/"+missing, func(t *testing.T) {
					t.Parallel()
					p := newPlace(t)
					id := p.reader()
					child := p.childOf(id)
					remove(p, id)
					if err := plant(p.home.File(id, record)); err != nil {
						t.Fatal(err)
					}
					p.notOver(id, record)
					if code := p.stop(id).wait(); code != 0 && !(p.truth.ShimKilled[id] && code == 5) {
						t.Errorf("stop: exit code %d", code)
					}
					if q, alive := p.liveChild(id); alive {
						t.Errorf("the child %d (%d) is alive after the stop", q.pid, child.pid)
					}
					if s := p.inspect(id).Status; s != journal.StatusStopped {
						t.Errorf("the run is called %s after the stop", s)
					}
				})
			}
		}
	}
}

// notOver asks everybody who has to know whether the run is over.
func (p *place) notOver(id, record string) {
	p.t.Helper()
	v := p.inspect(id)
	if v.Status != string(journal.PhaseRunning) {
		p.t.Errorf("inspect calls the run %s", v.Status)
	}
	p.shownAsDamaged(id, record)
	for _, c := range []struct {
		code int
		args []string
	}{
		{124, []string{"wait", "--timeout", "200ms", id}},
		{4, []string{"rm", id}},
		{4, []string{"rm", "--force", id}},
		{0, []string{"prune", "--older-than", "0s"}},
	} {
		if code := p.runs(c.args...).wait(); code != c.code {
			p.t.Errorf("%s: exit code %d, not %d", strings.Join(c.args, " "), code, c.code)
		}
	}
	l := p.runs("list", "-q", "--status", string(journal.PhaseRunning))
	if l.wait(); !strings.Contains(l.out.String(), id) {
		p.t.Error("the run is not on the list of those that run")
	}
	if _, alive := p.liveChild(id); !alive {
		p.t.Error("the child is not alive any more")
	}
}

func (p *place) inspect(id string) (v view) {
	p.t.Helper()
	c := p.runs("inspect", "--json", id)
	c.wait()
	if err := json.Unmarshal(c.out.Bytes(), &v); err != nil {
		p.t.Fatalf("inspect: %v: %s", err, c.err.String())
	}
	return v
}
