package check

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// process is one process for ever: no later one has the same start time.
type process struct {
	pid   int
	ticks uint64
}

// deeds is what one run's child says it did.
type deeds struct {
	starts     []process
	members    []process
	unrecorded []string
	printed    int
	end        *int
}

func (d deeds) watched() bool { return len(d.starts)+len(d.members) > 0 }

func (d deeds) ending() string {
	switch {
	case d.end != nil:
		return fmt.Sprintf("code %d", *d.end)
	case len(d.starts) > 0:
		return "it did not end by itself"
	}
	return "nothing, it never executed"
}

// readWitness reads the witness file. A torn last line is passed over: its
// writer was killed in it.
func readWitness(path string) (map[string]deeds, error) {
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	all := map[string]deeds{}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if !strings.HasSuffix(line, "\n") || len(f) < 3 {
			continue
		}
		d := all[f[0]]
		switch f[1] {
		case "start":
			d.starts = append(d.starts, processOf(f[2:]))
		case "member":
			d.members = append(d.members, processOf(f[2:]))
		case "unrecorded":
			d.unrecorded = append(d.unrecorded, f[2])
		case "printed":
			d.printed, _ = strconv.Atoi(f[2])
		case "end":
			code, _ := strconv.Atoi(f[2])
			d.end = &code
		}
		all[f[0]] = d
	}
	return all, err
}

func processOf(f []string) process {
	var p process
	p.pid, _ = strconv.Atoi(f[0])
	if len(f) > 1 {
		p.ticks, _ = strconv.ParseUint(f[1], 10, 64)
	}
	return p
}

// alive reports whether that very process still runs. A zombie does not.
func alive(p process) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/stat")
	if err != nil {
		return false
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	return len(f) > 19 && f[0] != "Z" && f[0] != "X" && f[19] == strconv.FormatUint(p.ticks, 10)
}

// marked lists the live processes whose environment names the run.
func marked(id string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(b, []byte("AGENT_RUNS_RUN_ID="+id)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
