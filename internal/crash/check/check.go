// Package check decides, after something was killed, whether the promises
// were kept. It is independent on purpose: it imports nothing of the program,
// parses the records by itself, and believes only the home directory, /proc
// and the witness file that the child wrote.
//
// What it cannot see is how long things took; the tests measure that.
package check

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Truth is what the test knows from having done it.
type Truth struct {
	Home    string
	Witness string

	Acknowledged []string        // runs whose id was printed or whose command was durable
	Commands     []string        // stop, steer and leave commands that were durable
	Steers       []string        // what was said to some run, once each
	Stopped      map[string]bool // runs a stop was asked for
	ChildKilled  map[string]bool // runs whose child the test killed
	ShimKilled   map[string]bool // runs whose shim the test killed
}

// Violations returns one line for every promise that was broken.
func (t Truth) Violations() []string {
	c := &checker{Truth: t}
	if err := c.load(); err != nil {
		return []string{err.Error()}
	}
	c.listed()
	c.commands()
	for id, r := range c.runs {
		c.startedOnce(id, r)
		c.judged(id, r)
		c.cleared(id, r)
		c.output(id, r)
		c.litter(id, r)
	}
	slices.Sort(c.broken)
	return c.broken
}

type checker struct {
	Truth
	records map[string]object // every record that is whole, by its path below home
	runs    map[string]run
	deeds   map[string]deeds
	broken  []string
}

func (c *checker) violate(promise, format string, args ...any) {
	c.broken = append(c.broken, promise+": "+fmt.Sprintf(format, args...))
}

// load reads everything once. A record is absent or whole (P3).
func (c *checker) load() (err error) {
	if c.deeds, err = readWitness(c.Witness); err != nil {
		return err
	}
	c.records = map[string]object{}
	for _, pattern := range []string{"*.json", "commands/*.json", "admissions/*.json", "runs/*/*.json", "owners/*/*.json"} {
		files, _ := filepath.Glob(filepath.Join(globQuote(c.Home), pattern))
		for _, f := range files {
			o, err := readObject(f)
			if err != nil {
				c.violate("P3", "%v", err)
				continue
			}
			name, _ := filepath.Rel(c.Home, f)
			c.records[name] = o
		}
	}
	c.runs, err = c.readRuns()
	return err
}

// globQuote keeps a directory's name from being read as a pattern.
func globQuote(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// listed: what was acknowledged is there and has an end with a cause (P3).
func (c *checker) listed() {
	for _, id := range c.Acknowledged {
		if _, ok := c.runs[id]; !ok {
			c.violate("P3", "run %s was acknowledged and is missing", id)
		} else if c.runs[id].launch == nil {
			c.violate("P3", "run %s was acknowledged and has no launch record", id)
		}
	}
	for id := range c.deeds {
		if _, ok := c.runs[id]; !ok {
			c.violate("P3", "run %s ran and is missing", id)
		}
	}
	for id, r := range c.runs {
		known := slices.Contains(c.Acknowledged, id) || r.admission != nil || len(c.deeds[id].starts) > 0
		if r.launch != nil && r.launch.PlanID != "" { // commanded with its plan
			known = known || slices.Contains(c.Acknowledged, r.launch.PlanID) || c.runs[r.launch.PlanID].admission != nil
		}
		switch {
		case known && r.result == nil:
			c.violate("P3", "run %s has no result", id)
		case r.result != nil && !slices.Contains([]string{"completed", "failed", "stopped"}, r.result.Status):
			c.violate("P3", "run %s ended as %q", id, r.result.Status)
		case r.result != nil && r.result.Status != "completed" && r.result.Cause == "":
			c.violate("P3", "run %s ended as %q without a cause", id, r.result.Status)
		}
	}
}

// commands: every command has one answer and is out of the way (P9).
func (c *checker) commands() {
	for _, id := range slices.Concat(c.Commands, c.Acknowledged) {
		o, ok := c.records["admissions/"+id+".json"]
		if !ok {
			c.violate("P9", "command %s has no answer", id)
		} else if !slices.Contains([]string{"accepted", "stale", "rejected"}, o.State) {
			c.violate("P9", "command %s was answered %q", id, o.State)
		}
		if _, err := os.Lstat(filepath.Join(c.Home, "commands", id+".json")); err == nil {
			c.violate("P9", "command %s is still open", id)
		}
	}
	accepted := c.accepted("steer")
	for _, text := range c.Steers {
		n := 0
		for run := range c.runs {
			out, _ := os.ReadFile(filepath.Join(c.Home, "runs", run, "stdout.log"))
			n += strings.Count(string(out), "got "+text+"\n")
		}
		if n > 1 || n > accepted {
			c.violate("P9", "%q arrived %d times, and %d such commands were accepted", text, n, accepted)
		}
	}
}

// accepted counts the commands of one kind that were.
func (c *checker) accepted(action string) (n int) {
	for name, o := range c.records {
		if strings.HasPrefix(name, "admissions/") && o.Action == action && o.State == "accepted" {
			n++
		}
	}
	return n
}

// startedOnce: P1 and P2.
func (c *checker) startedOnce(id string, r run) {
	d := c.deeds[id]
	for _, f := range d.unrecorded {
		c.violate("P1", "run %s executed before %s was there", id, f)
	}
	if len(d.starts) > 1 {
		c.violate("P2", "run %s was started %d times", id, len(d.starts))
	}
	for _, s := range d.starts {
		if r.process == nil {
			c.violate("P1", "run %s executed and has no process record", id)
		} else if r.process.PID != s.pid || r.process.Identity.StartTicks != s.ticks {
			c.violate("P1", "run %s executed as pid %d (%d), recorded is pid %d (%d)", id, s.pid, s.ticks, r.process.PID, r.process.Identity.StartTicks)
		}
	}
}

// output: numbered lines are complete and unbroken (P10).
func (c *checker) output(id string, r run) {
	d := c.deeds[id]
	if len(d.starts) == 0 {
		return
	}
	out, err := os.ReadFile(filepath.Join(c.Home, "runs", id, "stdout.log"))
	if err != nil {
		c.violate("P10", "run %s: %v", id, err)
		return
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		var i int
		if _, err := fmt.Sscanf(line, "line %d\n", &i); err != nil {
			continue
		}
		if n++; i != n {
			c.violate("P10", "run %s: line %d stands where %d belongs", id, i, n)
			return
		}
	}
	if n < d.printed {
		c.violate("P10", "run %s printed %d lines, %d are there", id, d.printed, n)
	}
}

// litter: nothing of a finished run is left outside its directory.
func (c *checker) litter(id string, r run) {
	// An environment whose run was never asked for is removed after a minute.
	if env := "/dev/shm/agent-runs-" + id + ".env"; exists(env) && r.result != nil {
		c.violate("environment", "run %s: %s is still there", id, env)
	}
	if r.exit != nil && r.exit.Tree == "empty" && r.process != nil && r.process.Cgroup != "" && exists(r.process.Cgroup) {
		c.violate("cgroup", "run %s: %s is still there", id, r.process.Cgroup)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
