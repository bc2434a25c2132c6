package cli

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-runs/agent-runs/journal"
)

// Parts returns the runs that check the one that v is the view of, and those
// that mended it, as far as they are there. The supervisor names each before
// it is made, so none is missed.
func Parts(h journal.Home, v View) []string {
	if v.Launch != nil && v.Launch.Verify == nil {
		return nil
	}
	var ids []string
	add := func(id string) {
		if journal.ValidID(id) && There(h, id) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, pattern := range []string{"verify-*.json", "followup-*.json"} {
		names, _ := filepath.Glob(h.File(v.ID, pattern)) // the pattern is a good one
		for _, name := range names {
			var p journal.Part
			if journal.Read(name, &p) == nil {
				add(p.RunID)
			}
		}
	}
	if v.Result != nil { // it may tell of one whose record is damaged
		for _, c := range v.Result.Verified {
			add(c.RunID)
		}
		for _, id := range v.Result.FollowUps {
			add(id)
		}
	}
	return ids
}

// There reports whether a run's records are.
func There(h journal.Home, id string) bool {
	_, err := os.Lstat(h.Run(id))
	return err == nil
}

// WholeOf returns the live run that a run is a part of, or "".
func WholeOf(h journal.Home, v View) (string, error) {
	if v.Launch == nil || v.Launch.PartOf == "" {
		return "", nil
	}
	return liveOne(h, v.Launch.PartOf)
}

func liveOne(h journal.Home, id string) (string, error) {
	v, err := Brief(h, id)
	if err != nil || v.Phase == journal.PhaseTerminal {
		return "", unlessGone(err)
	}
	return v.ID, nil
}

// TakenBy returns the plan that went on from a plan and has taken tasks of it
// over, or the one that has taken over this task of a plan; else "".
func TakenBy(h journal.Home, v View) string {
	plan, task := v.ID, ""
	switch {
	case v.Launch == nil:
		return ""
	case v.Launch.PlanID != "":
		plan, task = v.Launch.PlanID, v.ID
	case v.Launch.Plan == nil:
		return ""
	}
	next, err := SuccessorOf(h, plan)
	if err != nil {
		return ""
	}
	l, err := journal.ReadLaunch(h, next)
	if err != nil || l.Plan == nil {
		return ""
	}
	for _, t := range l.Plan.Tasks {
		if t.Done && (task == "" || t.RunID == task) {
			return next
		}
	}
	return ""
}
