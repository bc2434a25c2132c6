package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// object is the union of what is looked at in any record.
type object struct {
	Version  int
	ID       string
	Action   string
	State    string
	Status   string
	Cause    string
	PID      int
	Identity struct {
		BootID     string
		StartTicks uint64
	}
	Cgroup      string
	PlanID      string
	Code        *int
	Signal      *int
	Observed    string
	Tree        any // a word in exit.json and in launch.json
	LaunchError *struct{ Stage, Message string }
	Limits      struct{ MaxDurationMS int64 }
	Program     any // an object in launch.json, a path in supervisor.json
}

// isChild says whether the run's program is the one that keeps the witness.
func (o *object) isChild() bool {
	p, _ := o.Program.(map[string]any)
	argv, _ := p["argv"].([]any)
	name, _ := append(argv, "")[0].(string)
	return filepath.Base(name) == "child"
}

type run struct{ launch, admission, process, stop, exit, result *object }

// readObject parses a record. Anything but one whole JSON object with a
// version is an error.
func readObject(path string) (object, error) {
	var o object
	b, err := os.ReadFile(path)
	if err != nil {
		return o, err
	}
	if err := json.Unmarshal(b, &o); err != nil {
		return o, fmt.Errorf("%s: %w", path, err)
	}
	if o.Version < 1 {
		return o, fmt.Errorf("%s has no version", path)
	}
	return o, nil
}

// readRuns puts the records of each run together. One that cannot be read
// counts as absent here.
func (c *checker) readRuns() (map[string]run, error) {
	entries, err := os.ReadDir(filepath.Join(c.Home, "runs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	runs := map[string]run{}
	for _, e := range entries {
		id := e.Name()
		if strings.HasPrefix(id, ".") {
			continue
		}
		record := func(name string) *object {
			if o, ok := c.records[name]; ok {
				return &o
			}
			return nil
		}
		runs[id] = run{
			launch:    record("runs/" + id + "/launch.json"),
			admission: record("admissions/" + id + ".json"),
			process:   record("runs/" + id + "/process.json"),
			stop:      record("runs/" + id + "/stop.json"),
			exit:      record("runs/" + id + "/exit.json"),
			result:    record("runs/" + id + "/result.json"),
		}
	}
	return runs, err
}
