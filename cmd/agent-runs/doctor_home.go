package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/cmd/internal/cli"
	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
	"github.com/agent-runs/agent-runs/supervisor"
	units "github.com/docker/go-units"
)

// examine looks at everything there is to say something about.
func examine(getenv func(string) string) *diagnosis {
	d := &diagnosis{Version: cli.ViewVersion, State: findingOK, Findings: []finding{}}
	d.system()
	d.limits()
	h, there := d.home(getenv)
	d.ceilings(h)
	if !there {
		return d
	}
	d.watching(h)
	d.supervisor(h)
	d.runs(h)
	d.leftBehind(h)
	return d
}

func (d *diagnosis) system() {
	for _, f := range launch.Probe() {
		switch {
		case f.Err == nil:
			d.ok(f.Name, f.Use)
		case f.Needed:
			d.broken(f.Name, f.Without+": "+f.Err.Error())
		default:
			d.degraded(f.Name, f.Without+": "+f.Err.Error())
		}
	}
}

// limits of the kernel on inotify, where it has them.
func (d *diagnosis) limits() {
	var words []string
	for _, name := range []string{"max_user_instances", "max_user_watches"} {
		if b, err := os.ReadFile("/proc/sys/fs/inotify/" + name); err == nil {
			words = append(words, name+" "+strings.TrimSpace(string(b)))
		}
	}
	if len(words) > 0 {
		d.ok("inotify limits", strings.Join(words, ", "))
	}
}

// ceilings of runs that the supervisor of the home would start.
func (d *diagnosis) ceilings(h journal.Home) {
	err := launch.CeilingsUsable(cli.SupervisorPID(h))
	if err == nil {
		d.ok("ceilings", "--max-memory and --max-processes hold")
		return
	}
	try := ""
	var none *launch.NoCeilings
	if errors.As(err, &none) {
		try = none.Try
	}
	d.add("ceilings", findingDegraded, "--max-memory and --max-processes are refused: "+err.Error(), try)
}

// home reports whether there is one to look into.
func (d *diagnosis) home(getenv func(string) string) (journal.Home, bool) {
	dir, err := journal.HomeDir(getenv)
	if err != nil {
		d.broken("home", err.Error())
		return journal.Home{}, false
	}
	h, err := journal.CheckHome(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.ok("home", dir+", not there yet: the first delegate makes it")
		return h, false
	case err != nil:
		d.broken("home", err.Error())
		return h, false
	}
	d.ok("home", dir)
	if owner, err := cli.Owner(""); err != nil {
		d.broken("owner", err.Error())
	} else {
		d.ok("owner", owner)
	}
	d.room(h)
	return h, true
}

// Room that is little for records, and too little.
const (
	littleRoom = 100 << 20
	noRoom     = 1 << 20
)

func (d *diagnosis) room(h journal.Home) {
	free, err := freeBytes(h.Dir)
	note := units.BytesSize(float64(free)) + " free"
	switch {
	case err != nil:
		d.degraded("room", err.Error())
	case free < noRoom:
		d.broken("room", note+": nothing can be recorded")
	case free < littleRoom:
		d.degraded("room", note)
	default:
		d.ok("room", note)
	}
}

// watching tries whether the kernel would tell us of changes now.
func (d *diagnosis) watching(h journal.Home) {
	w, err := ipc.NewWatch(h.Dir)
	if err != nil {
		d.broken("inotify", err.Error())
		return
	}
	defer w.Close()
	if w.Note != "" {
		d.add("inotify", findingDegraded, w.Note, "sysctl fs.inotify.max_user_instances=1024")
		return
	}
	d.ok("inotify", "an instance can be had")
}

func (d *diagnosis) supervisor(h journal.Home) {
	v, err := seeSupervisor(h)
	switch {
	case err != nil:
		d.broken("supervisor", err.Error())
	case !v.Running && v.Runs > 0:
		d.add("supervisor", findingDegraded, "none is running"+left(v), "agent-runs supervisor restart")
	case !v.Running:
		d.ok("supervisor", "none is running, and none is needed")
	case v.Supervisor == nil:
		d.ok("supervisor", "it is starting")
	case anotherBuild(v.Build, supervisor.Build()):
		d.add("supervisor", findingDegraded, fmt.Sprintf("pid %d is another build (%s) than this (%s)", v.PID, v.Build, supervisor.Build()), "agent-runs supervisor restart")
	case v.QuickDeaths > 0:
		d.degraded("supervisor", fmt.Sprintf("%d before it died young; see %s", v.QuickDeaths, h.SupervisorLog()))
	case v.Watch != "inotify":
		d.add("supervisor", findingDegraded, fmt.Sprintf("pid %d, %s", v.PID, v.WatchNote), "agent-runs supervisor restart, once there is an instance")
	default:
		d.ok("supervisor", fmt.Sprintf("pid %d for %s, watching by %s, %s%s", v.PID, cli.Age(v.StartedAt, time.Now()), v.Watch, runsWord(v.Runs), unlikeness(v.Build, supervisor.Build())))
	}
}

// anotherBuild reports whether two builds are known to differ.
func anotherBuild(theirs, ours string) bool {
	return theirs != ours && supervisor.Versioned(theirs) && supervisor.Versioned(ours)
}

// unlikeness says that two builds may differ. "go run" records no version, so
// whether what it started is of the same source cannot be told.
func unlikeness(theirs, ours string) string {
	switch {
	case theirs == ours:
		return ""
	case supervisor.Versioned(ours):
		return ", of a build without a version (go run makes such), so it may not be of this one's source"
	default:
		return ", of " + theirs + "; this build has no version (go run makes such), so it may not be of the same source"
	}
}
