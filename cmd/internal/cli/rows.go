package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/agent-runs/agent-runs/journal"
)

// Row is one run as a table shows it. Times that are not known are zero.
type Row struct {
	ID, Owner, Name, Status, Command string
	Runtime                          string // "": a plain command
	Created, Started, Ended          time.Time
	Over                             bool
}

// commandWidth bounds what a row shows of the command, in characters.
const commandWidth = 60

// Rows returns the rows of a listing. Those of runs that are over come from a
// cache as long as their records are untouched.
func Rows(h journal.Home, ids []string) ([]Row, error) {
	cache := openRowCache(h)
	rows := make([]Row, 0, len(ids))
	for _, id := range ids {
		r, err := cache.row(id)
		if isGone(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	cache.store()
	return rows, nil
}

func rowOf(v View) Row {
	r := Row{ID: v.ID, Owner: v.Owner, Name: v.Name, Status: v.statusWords(), Over: v.Phase == journal.PhaseTerminal}
	for _, t := range []struct {
		from *time.Time
		to   *time.Time
	}{{v.CreatedAt, &r.Created}, {v.StartedAt, &r.Started}, {v.EndedAt, &r.Ended}} {
		if t.from != nil {
			*t.to = *t.from
		}
	}
	switch {
	case v.Plan != nil:
		r.Runtime, r.Command = journal.RuntimePlan, v.Plan.Words()
	case v.IsAgent():
		r.Runtime, r.Command = v.Runtime, promptLine(v.Agent.Prompt)
	case v.Launch != nil:
		r.Command = CommandLine(v.Launch.Program.Argv, commandWidth)
	}
	if v.Launch != nil && v.Launch.PartOf != "" {
		r.Command = CommandLine([]string{v.Launch.PartOf}, commandWidth) + ": " + r.Command
	}
	return r
}

// promptLine is the beginning of a prompt.
func promptLine(prompt string) string {
	if len(prompt) > 8*commandWidth {
		prompt = prompt[:8*commandWidth]
	}
	words := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(prompt, ""), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	return Shorten(words, commandWidth)
}

// statusWords is the status with what matters of its cause.
func (v View) statusWords() string {
	s := v.Status
	switch {
	case (v.IsAgent() || v.Cause == journal.CauseVerify) && v.Cause != "" && v.Cause != journal.CauseCancelled: // its exit code means nothing
		s += " (" + v.Cause + ")"
	case v.Exit != nil && v.Exit.Code != nil && v.Status == journal.StatusFailed:
		s += fmt.Sprintf(" (exit %d)", *v.Exit.Code)
	case v.Exit != nil && v.Exit.Signal != nil && v.Status == journal.StatusFailed:
		s += " (" + v.Exit.SignalName + ")"
	case v.Cause != "" && v.Cause != journal.CauseCancelled:
		s += " (" + v.Cause + ")"
	}
	if v.Exit != nil && v.Exit.Tree == journal.TreeUnproven {
		s += ", unproven"
	}
	if len(v.Damaged) > 0 {
		s += ", damaged"
	}
	return s
}

// Took is how long the run lasted, or has lasted by now; ok is false where
// that cannot be told.
func (r Row) Took(now time.Time) (d time.Duration, ok bool) {
	switch {
	case r.Started.IsZero(), r.Over && r.Ended.IsZero():
		return 0, false
	case !r.Ended.IsZero():
		return r.Ended.Sub(r.Started), true
	}
	return now.Sub(r.Started), true
}
