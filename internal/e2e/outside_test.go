package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience is how long the tests wait for what has to come. Nothing waits
// that long when all is well.
const patience = slowness * 20 * time.Second

// eventually polls until ok or the end of our patience.
func eventually(ok func() bool) bool { return within(patience, ok) }

// within polls until ok or the deadline.
func within(limit time.Duration, ok func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}

// leftBehind says what a script in work left that should not be there: runs
// without a verdict, processes, environments, cgroups. It waits a while for
// the last of it to go.
func leftBehind(work string) (complaints []string) {
	look := func() bool {
		complaints = slices.Concat(unsettled(work), strangers(work), crashes(work))
		return len(complaints) == 0
	}
	within(slowness*3*time.Second, look)
	return complaints
}

// crashes finds what no supervisor or shim should ever have to log.
func crashes(work string) (complaints []string) {
	for _, sign := range []string{"panic:", "fatal error:", "DATA RACE"} {
		if strings.Contains(logs(work), sign) {
			complaints = append(complaints, sign+" in supervisor.log")
		}
	}
	return complaints
}

// unsettled judges every run of every home below work by its files.
func unsettled(work string) (complaints []string) {
	for _, launch := range find(work, "launch.json") {
		dir := filepath.Dir(launch)
		id := filepath.Base(dir)
		if status := field(filepath.Join(dir, "result.json"), "status"); status != "completed" && status != "failed" && status != "stopped" {
			complaints = append(complaints, fmt.Sprintf("run %s has no verdict but %q", id, status))
		}
		for _, memory := range []string{"/dev/shm", os.Getenv("XDG_RUNTIME_DIR"), dir} {
			if env, _ := filepath.Glob(filepath.Join(memory, "*"+id+".env")); len(env) > 0 {
				complaints = append(complaints, fmt.Sprintf("the environment of run %s is still in %s", id, env))
			}
		}
		if cg := field(filepath.Join(dir, "process.json"), "cgroup"); cg != "" && field(filepath.Join(dir, "exit.json"), "tree") == "empty" {
			if _, err := os.Stat(cg); err == nil {
				complaints = append(complaints, "the cgroup "+cg+" is still there")
			}
		}
	}
	return complaints
}

// find lists the files called name below dir. Directories a script made
// unreadable hold none.
func find(dir, name string) (found []string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == name && d.Type().IsRegular() {
			found = append(found, path)
		}
		return nil
	})
	return found
}

func field(path, name string) string {
	body, err := os.ReadFile(path)
	var v map[string]any
	if err != nil || json.Unmarshal(body, &v) != nil || v[name] == nil {
		return ""
	}
	return fmt.Sprint(v[name])
}

// process is one line of /proc.
type process struct {
	pid     int
	state   byte
	parent  int
	command string // arguments, joined by spaces
	role    string // "__supervisor" or "__shim", else empty
}

// strangers lists the processes that belong to work and should be gone. A
// supervisor may linger, and a shim that has no child is a spare one.
func strangers(work string) (complaints []string) {
	all := processesOf(work)
	for _, p := range all {
		switch {
		case p.role == "__supervisor":
		case p.role == "__shim" && !hasChild(all, p.pid):
		default:
			complaints = append(complaints, fmt.Sprintf("process %d (%c, parent %d) %s", p.pid, p.state, p.parent, p.command))
		}
	}
	return complaints
}

func hasChild(all []process, pid int) bool {
	for _, p := range all {
		if p.parent == pid {
			return true
		}
	}
	return false
}

// processesOf lists the live processes that mention work in their arguments
// or environment or have their directory below it.
func processesOf(work string) (found []process) {
	names, _ := os.ReadDir("/proc")
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join("/proc", n.Name())
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		cwd, _ := os.Readlink(filepath.Join(dir, "cwd"))
		if !mentions(args, work) && !mentions(env, work) && !mentions([]byte(cwd), work) {
			continue
		}
		p := process{pid: pid, command: strings.TrimSpace(strings.ReplaceAll(string(args), "\x00", " "))}
		if p.state, p.parent = stateOf(pid); p.state == dead {
			continue
		}
		if f := strings.Split(string(args), "\x00"); len(f) > 2 && strings.HasPrefix(f[1], "__s") {
			p.role = f[1]
		}
		found = append(found, p)
	}
	return found
}

// mentions reports whether text holds the path of work. Another script's may
// begin with the same letters.
func mentions(text []byte, work string) bool {
	for {
		i := bytes.Index(text, []byte(work))
		if i < 0 {
			return false
		}
		text = text[i+len(work):]
		if len(text) == 0 || !bytes.ContainsAny(text[:1], "-_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") {
			return true
		}
	}
}

// dead is the state of what is not there, or runs nothing any more.
const dead = 0

// stateOf reads state and parent. A zombie is dead, unless only its first
// thread ended and others run on.
func stateOf(pid int) (state byte, parent int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	end := bytes.LastIndexByte(b, ')')
	if err != nil || end < 0 {
		return dead, 0
	}
	f := strings.Fields(string(b[end+1:]))
	parent, _ = strconv.Atoi(f[1])
	threads, _ := strconv.Atoi(f[17])
	if state = f[0][0]; (state == 'Z' || state == 'X') && threads <= 1 {
		state = dead
	}
	return state, parent
}

// gone reports whether the process runs no more.
func gone(pid int) bool {
	state, _ := stateOf(pid)
	return state == dead
}

// killAll ends what a script left, supervisors first so that nobody restarts
// anything for long.
func killAll(work string) {
	eventually(func() bool {
		all := processesOf(work)
		for _, p := range all {
			syscall.Kill(p.pid, syscall.SIGKILL)
		}
		return len(all) == 0
	})
}

func logs(work string) (text string) {
	for _, f := range find(work, "supervisor.log") {
		b, _ := os.ReadFile(f)
		text += string(b)
	}
	return text
}

func lines(list []string) string { return "\t" + strings.Join(list, "\n\t") }
