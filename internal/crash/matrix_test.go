//go:build linux && failpoint

package crash

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
)

// victims are who is killed at an instant.
var victims = []struct {
	name                            string
	supervisor, shim, child, caller bool
}{
	{"supervisor", true, false, false, false},
	{"shim", false, true, false, false},
	{"child", false, false, true, false},
	{"cli", false, false, false, true},
	{"supervisor+shim", true, true, false, false},
	{"supervisor+cli", true, false, false, true},
	{"all", true, true, true, true},
}

// trees are the implementations of a run's tree. Each instant and each victim
// meets both, not each pair: that would double the time for little.
var trees = []string{"auto", "subreaper"}

// back is how soon a killed supervisor must be there again (P5).
const back = time.Second

// workers is how many cases run at the same time.
const workers = 4

// TestCrashMatrix kills every part, and parts together, at every instant of
// every scene, lets it recover, and has it judged by package check.
func TestCrashMatrix(t *testing.T) {
	type job struct {
		scene  scene
		point  string
		victim int
		tree   string
	}
	var jobs []job
	var points []string
	for _, s := range allScenes() {
		list := trace(t, s)
		points = append(points, list...)
		for i, point := range list {
			for v := range victims {
				jobs = append(jobs, job{s, point, v, trees[(i+v)%len(trees)]})
			}
		}
	}
	for _, name := range declared(t, "../..") {
		if *only == "" && !reached(name, points) {
			t.Errorf("failpoint %q is reached by no scene", name)
		}
	}
	queue := make(chan job, len(jobs))
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	var passed, empty atomic.Int64
	var slowest atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for j := range queue {
				name := j.scene.name + "/" + strings.ReplaceAll(j.point, "/", "-") + "/" + victims[j.victim].name + "/" + j.tree
				if t.Run(name, func(t *testing.T) {
					c := matrixCase{place: newPlace(t), scene: j.scene, tree: j.tree, point: j.point, victim: j.victim}
					c.run()
					if len(c.killed) == 0 {
						empty.Add(1)
					}
					for old := slowest.Load(); int64(c.absence) > old && !slowest.CompareAndSwap(old, int64(c.absence)); old = slowest.Load() {
					}
				}) {
					passed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	fmt.Printf("crash matrix: %d cases (%d instants in %d scenes × %d victims), %d passed; in %d the victim was not there yet or any more; longest absence of a supervisor %v\n",
		len(jobs), len(points), len(allScenes()), len(victims), passed.Load(), empty.Load(), time.Duration(slowest.Load()).Round(time.Millisecond))
}

// only narrows the matrix, for whoever works on some of its scenes.
var only = flag.String("scenes", "", "comma-separated names of the scenes to play (default: all)")

func allScenes() []scene {
	all := slices.Concat(scenes, agentScenes, planScenes, delegationScenes)
	if *only == "" {
		return all
	}
	names := strings.Split(*only, ",")
	return slices.DeleteFunc(all, func(s scene) bool { return !slices.Contains(names, s.name) })
}

// matrixCase is one cell of the matrix.
type matrixCase struct {
	*place
	scene   scene
	tree    string
	point   string
	victim  int
	killed  []proc
	absence time.Duration
}

func (c *matrixCase) run() {
	c.begin()
	c.strike()
	c.write("go", "")
	c.supervisorReturns()
	c.recover()
	c.judge()
	c.judgeAgents()
	c.judgeDelegation()
	c.judgeSettings()
	c.judgeCompletions()
}

// begin brings the scene to the instant and holds it there.
func (c *matrixCase) begin() {
	c.env = append(c.env, "AGENT_RUNS_FAILPOINT_DIR="+c.points, "AGENT_RUNS_TREE="+c.tree)
	c.scene.prepare(c.place)
	c.spareIsThere()
	c.write("armed", c.point)
	c.scene.act(c.place)
	until(c.t, "the instant is reached", func() bool { return there(filepath.Join(c.points, "hit")) })
	c.note()
}

func (c *matrixCase) write(name, body string) {
	tmp := filepath.Join(c.points, "."+name)
	if err := os.WriteFile(tmp, []byte(body), 0o600); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Rename(tmp, filepath.Join(c.points, name)); err != nil {
		c.t.Fatal(err)
	}
}

// strike kills the victims and remembers what that excuses.
func (c *matrixCase) strike() {
	v := victims[c.victim]
	var list []proc
	for _, q := range c.processes() {
		if q.role == "supervisor" && v.supervisor || q.role == "shim" && v.shim || q.role == "gated" && v.child {
			list = append(list, q)
		}
	}
	for _, id := range c.runIDs() {
		if there(c.home.File(id, journal.ExitFile)) {
			continue
		}
		if v.shim {
			c.truth.ShimKilled[id] = true
		}
		if q, ok := c.liveChild(id); v.child {
			c.truth.ChildKilled[id] = true
			if ok {
				list = append(list, q)
			}
		}
	}
	for _, call := range c.calls {
		if v.caller && call.running() {
			q, _ := statOf(call.cmd.Process.Pid)
			list = append(list, q)
		}
	}
	c.kill(list)
	c.killed = list
}

// supervisorReturns: with a shim alive a killed supervisor is back within a
// second, and nobody asked (P5).
func (c *matrixCase) supervisorReturns() {
	var last journal.Supervisor
	if !slices.ContainsFunc(c.killed, func(q proc) bool { return q.role == "supervisor" }) ||
		journal.Read(c.home.Supervisor(), &last) != nil || last.State != journal.SupervisorRunning {
		return // none was killed, or a person had asked it to leave
	}
	began := time.Now()
	err := within(back, "a supervisor is back", func() bool {
		return len(c.withRole("supervisor")) > 0 || !c.watched()
	})
	c.absence = time.Since(began)
	if err != nil {
		c.t.Errorf("P5: %v", err)
	}
}

// watched reports whether a shim lives that has a run to look after.
func (c *matrixCase) watched() bool {
	return slices.ContainsFunc(c.runIDs(), func(id string) bool {
		var r journal.Process
		if there(c.home.File(id, journal.ExitFile)) || journal.Read(c.home.File(id, journal.ProcessFile), &r) != nil {
			return false
		}
		return proc{pid: r.Shim.PID, ticks: r.Shim.Identity.StartTicks}.alive()
	})
}

// recover does what people do: they wait, give an ordinary command, and stop
// what they do not need any more.
func (c *matrixCase) recover() {
	for _, call := range c.calls {
		call.wait()
		call.id()
		c.keptItsWord(call)
	}
	c.note()
	c.ordinary()
	c.stdinEnds()
	c.answerQuestions()
	for _, id := range c.runIDs() {
		if c.reads(id) && !c.done(id) && !c.stopIsComing(id) {
			c.stop(id).wait()
		}
	}
	c.note()
}

// keptItsWord compares what a command line said with what is there now.
func (c *matrixCase) keptItsWord(call *call) {
	args, code := call.cmd.Args, call.cmd.ProcessState.ExitCode()
	id := args[len(args)-1]
	switch {
	case slices.Contains(args, "stop") && code == 0 && id != "stop":
		var e journal.Exit
		if err := journal.Read(c.home.File(id, journal.ExitFile), &e); err == nil && e.Tree != journal.TreeEmpty {
			c.t.Errorf("P7: stop exited 0, and the tree is %s", e.Tree)
		}
		if !c.done(id) {
			c.t.Errorf("P7: stop exited 0 before the run was settled")
		}
	case slices.Contains(args, "--wait") && slices.Contains(args, "work") && code >= 0:
		out, _ := os.ReadFile(c.home.File(call.id(), journal.StdoutFile))
		if call.out.String() != string(out) {
			c.t.Errorf("P10: delegate --wait printed %d bytes, the run %d", call.out.Len(), len(out))
		}
		if code == 0 {
			c.t.Error("P6: delegate --wait exited 0 for a run that cannot complete")
		}
	}
}

// stdinEnds: where the end of a child's stdin was decided, the child reads it.
func (c *matrixCase) stdinEnds() {
	for _, id := range c.runIDs() {
		if !c.reads(id) || !there(c.home.File(id, "stdin.ended")) {
			continue
		}
		if _, alive := c.liveChild(id); alive {
			until(c.t, "the child reads the end of its stdin", func() bool { return c.printed(id, "eof\n") })
		}
	}
}

func (c *matrixCase) reads(id string) bool {
	var l journal.Launch
	return journal.Read(c.home.File(id, journal.LaunchFile), &l) == nil && slices.Contains(strings.Fields(strings.Join(l.Program.Argv, " ")), "read")
}

// stopIsComing reports whether a durable order to stop the run is still open
// or was given.
func (c *matrixCase) stopIsComing(id string) bool {
	return c.truth.Stopped[id] && slices.ContainsFunc(c.truth.Commands, func(cmd string) bool {
		var a journal.Admission
		if journal.Read(c.home.Admission(cmd), &a) == nil {
			return a.Action == journal.ActionStop
		}
		return there(c.home.Command(cmd))
	})
}
