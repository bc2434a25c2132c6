package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// ViewVersion is the version of the JSON shapes both commands print.
const ViewVersion = 1

// View is everything there is to say about one run, as inspect --json prints
// it. Status and phase are derived; the records are shown as they are.
type View struct {
	Version   int              `json:"version"`
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	Owner     string           `json:"owner"`
	Phase     journal.Phase    `json:"phase"`
	Status    string           `json:"status"`
	Cause     string           `json:"cause,omitempty"`
	CreatedAt *time.Time       `json:"createdAt"`
	StartedAt *time.Time       `json:"startedAt"`
	EndedAt   *time.Time       `json:"endedAt"`
	Launch    *journal.Launch  `json:"launch"`
	Process   *journal.Process `json:"process"`
	Stop      *journal.Stop    `json:"stop"`
	Exit      *journal.Exit    `json:"exit"`
	Result    *journal.Result  `json:"result"`
	Tree      Tree             `json:"tree"`
	Output    Output           `json:"output"`
	Damaged   []journal.Damage `json:"damaged"`
	Waiting   string           `json:"waiting,omitempty"` // for what, while it is queued
	Plan      *PlanPart        `json:"plan,omitempty"`
	AgentPart
}

// Tree is the state of the run's process tree: "none" before the start,
// "live" with its members, "empty" or "unproven" after the end.
type Tree struct {
	State   string          `json:"state"`
	Members []launch.Member `json:"members"`
}

// Output says how much the run wrote.
type Output struct {
	Stdout Bytes `json:"stdout"`
	Stderr Bytes `json:"stderr"`
}

// Bytes is the size of a file.
type Bytes struct {
	Bytes int64  `json:"bytes"`
	Path  string `json:"path"`
}

// Load reads a run and derives its view, with the live members of its tree.
func Load(h journal.Home, id string) (View, error) {
	v, err := Brief(h, id)
	if v.Tree.State == treeLive || v.Tree.State == journal.TreeUnproven {
		if m := launch.Members(id, v.Process); m != nil {
			v.Tree.Members = m
		}
	}
	return v, err
}

// Brief is Load without the members: it looks at no process but, where nobody
// has commanded the run yet, at its asker.
func Brief(h journal.Home, id string) (View, error) {
	r, err := journal.LoadRun(h, id)
	if errors.Is(err, fs.ErrNotExist) || err == nil && nothing(r) {
		return View{}, noSuchRun(id)
	}
	if err != nil {
		return View{}, err
	}
	return view(h, r), nil
}

// nothing is true of a directory that was made for a run whose asker died
// before it wrote anything down, or for a task before it had asked for its plan.
func nothing(r journal.Records) bool {
	return (r.Launch == nil || r.Launch.PlanID != "" && !askerAlive(r)) && r.Admission == nil && r.Process == nil && r.Stop == nil && r.Exit == nil && r.Result == nil &&
		!r.Commanded && len(r.Damaged) == 0
}

func view(h journal.Home, r journal.Records) View {
	s := statusOf(h, r)
	v := View{Version: ViewVersion, ID: r.ID, Phase: s.Phase, Status: s.Status, Cause: s.Cause,
		Launch: r.Launch, Process: r.Process, Stop: r.Stop, Exit: r.Exit, Result: r.Result, Damaged: r.Damaged}
	if v.Damaged == nil {
		v.Damaged = []journal.Damage{}
	}
	if r.Launch != nil {
		v.Name, v.Owner, v.CreatedAt = r.Launch.Name, r.Launch.Owner, &r.Launch.CreatedAt
	} else if t, err := journal.IDTime(r.ID); err == nil {
		v.CreatedAt = &t
	}
	if r.Process != nil {
		v.StartedAt = &r.Process.StartedAt
	}
	if r.Result != nil {
		v.EndedAt = &r.Result.EndedAt
		v.Owner = r.Result.Owner
	} else if r.Exit != nil {
		v.EndedAt = &r.Exit.At
	}
	if r.Admission != nil && v.Phase == journal.PhaseQueued && r.Admission.ID == r.ID {
		v.Waiting = r.Admission.Reason
	}
	v.Plan = planPart(h, r)
	v.Tree = treeOf(r)
	v.AgentPart = agentPart(h, r)
	v.Output = Output{Stdout: size(h.File(r.ID, journal.StdoutFile)), Stderr: size(h.File(r.ID, journal.StderrFile))}
	return v
}

// statusOf adds to the records what they cannot say themselves.
func statusOf(h journal.Home, r journal.Records) journal.Status {
	return journal.Derive(r, journal.Facts{AskerAlive: askerAlive(r), AtWork: r.Result == nil && len(r.Damaged) > 0 && atWork(h, r.ID)})
}

// askerAlive matters only to a launch that nobody has commanded yet.
func askerAlive(r journal.Records) bool {
	if r.Launch == nil || r.Commanded || r.Admission != nil || r.Process != nil || r.Result != nil {
		return false
	}
	alive, err := launch.Alive(r.Launch.Asker)
	return alive || err != nil
}

// States of a tree before its end; afterwards the exit record says it.
const (
	treeNone = "none"
	treeLive = "live"
)

func treeOf(r journal.Records) Tree {
	t := Tree{State: treeNone, Members: []launch.Member{}}
	switch {
	case r.Exit != nil:
		t.State = r.Exit.Tree
	case r.Process != nil:
		t.State = treeLive
	}
	return t
}

func size(path string) Bytes {
	b := Bytes{Path: path}
	if info, err := os.Stat(path); err == nil {
		b.Bytes = info.Size()
	}
	return b
}

// Ending says in words how a run ended.
func (v View) Ending() string {
	s := v.Status
	if v.Cause != "" {
		s += " (" + v.Cause + ")"
	}
	switch {
	case v.Cause == journal.CauseVerify && v.Result != nil:
		s += ": " + v.Result.Error
	case v.IsAgent() && v.Result != nil: // its exit code means nothing
		if v.Result.Error != "" {
			s += ": " + v.Result.Error
		}
	case v.Exit != nil && v.Exit.LaunchError != nil, v.Exit == nil && v.Result != nil && v.Result.Error != "":
		s += ": " + v.Result.Error
	case v.Exit != nil && v.Exit.Code != nil:
		s += fmt.Sprintf(", exit code %d", *v.Exit.Code)
	case v.Exit != nil && v.Exit.Signal != nil:
		s += ", " + v.Exit.SignalName
	case v.Exit != nil:
		s += ", exit code unknown"
	}
	if v.Exit != nil && v.Exit.Tree == journal.TreeUnproven {
		s += ", what it left is unproven"
	}
	return s
}

// PrintJSON prints one value on stdout, indented for people who look.
func PrintJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
