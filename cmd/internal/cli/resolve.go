package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
)

// minPrefix is how much of an id must be typed: shorter ones are the same for
// all runs of a decade.
const minPrefix = 4

// maxCandidates bounds how many runs an ambiguous reference names.
const maxCandidates = 5

// Resolve returns the id of the run that a person means: its id, its name, or
// a unique prefix of its id. Whole ids are not looked up in any list.
//
// A name is taken before a prefix, and among the runs of a name: one's own
// before those of others, live ones before finished ones, and of finished
// ones the newest. Two live ones are ambiguous.
func Resolve(h journal.Home, ref, owner string) (string, error) {
	if ref == "" {
		return "", Fail(Usage, "the run's id is empty")
	}
	if id := strings.ToUpper(ref); journal.ValidID(id) {
		if _, err := os.Lstat(h.Run(id)); err != nil {
			return "", noSuchRun(ref)
		}
		return id, nil
	}
	m, err := matching(h, ref, owner)
	if err != nil {
		return "", err
	}
	for _, named := range [][]journal.Entry{m.own, m.others} {
		if len(named) > 0 {
			return choose(h, ref, named)
		}
	}
	switch len(m.prefixed) {
	case 0:
		return "", noSuchRun(ref)
	case 1:
		return m.prefixed[0].ID, nil
	default:
		return "", ambiguous(ref, m.prefixed)
	}
}

// ResolveAll resolves every reference and drops repetitions. The first bad
// one is the error: nothing is done by halves.
func ResolveAll(h journal.Home, refs []string, owner string) ([]string, error) {
	var ids []string
	seen := map[string]bool{}
	for _, ref := range refs {
		id, err := Resolve(h, ref, owner)
		if err != nil {
			return nil, err
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func noSuchRun(ref string) *Error {
	return Fail(NotFound, "there is no run %q", ref).WithTry("agent-runs list --all")
}

// matches are the runs that a reference fits, newest first.
type matches struct{ own, others, prefixed []journal.Entry }

func matching(h journal.Home, ref, owner string) (m matches, err error) {
	x, err := openIndex(h)
	if err != nil {
		return m, err
	}
	defer x.Close()
	prefix := strings.ToUpper(ref)
	if len(prefix) < minPrefix {
		prefix = ""
	}
	for e := range x.Matching(ref, prefix) {
		e = x.Complete(e)
		switch {
		case e.Name == ref && e.Owner == owner:
			m.own = append(m.own, e)
		case e.Name == ref:
			m.others = append(m.others, e)
		case prefix != "" && strings.HasPrefix(e.ID, prefix):
			m.prefixed = append(m.prefixed, e)
		}
	}
	x.Store()
	return m, nil
}

// choose picks one of several runs of the same name, newest first. Live ones
// are looked for only among the open intents: there are few.
func choose(h journal.Home, ref string, named []journal.Entry) (string, error) {
	if len(named) == 1 {
		return named[0].ID, nil
	}
	open, _, err := ipc.Pending(h)
	if err != nil {
		return "", err
	}
	pending := set(open)
	var live []journal.Entry
	for _, e := range named {
		if (pending[e.ID] || pending[planOf(h, e.ID)]) && !Settled(h, e.ID) {
			live = append(live, e)
		}
	}
	switch len(live) {
	case 0:
		return named[0].ID, nil
	case 1:
		return live[0].ID, nil
	default:
		return "", ambiguous(ref, live)
	}
}

// planOf is the plan that commands a run which is not over, or "".
func planOf(h journal.Home, id string) string {
	if _, err := os.Lstat(h.File(id, journal.ResultFile)); err == nil {
		return ""
	}
	var l journal.Launch
	if err := journal.Read(h.File(id, journal.LaunchFile), &l); err != nil {
		return "" // of what cannot be read no plan is known
	}
	return l.PlanID
}

func set(ids []string) map[string]bool {
	m := make(map[string]bool, len(ids))
	for _, id := range ids {
		m[id] = true
	}
	return m
}

func ambiguous(ref string, candidates []journal.Entry) *Error {
	var names []string
	for i, e := range candidates {
		if i == maxCandidates {
			names = append(names, fmt.Sprintf("and %d more", len(candidates)-i))
			break
		}
		names = append(names, strings.TrimSpace(e.ID+" "+e.Name))
	}
	return Fail(Usage, "%q means several runs: %s", ref, strings.Join(names, ", ")).WithTry("the whole id")
}
