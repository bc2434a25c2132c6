package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/launch"
)

// Age says how long ago t was, in its largest unit. A clock that was set back
// makes it nothing.
func Age(t, now time.Time) string {
	d := max(0, now.Sub(t))
	for _, u := range []struct {
		name string
		span time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}} {
		if d >= 2*u.span {
			return strconv.Itoa(int(d/u.span)) + u.name
		}
	}
	return strconv.Itoa(int(d/time.Second)) + "s"
}

// Took says how long something lasted, in as many digits as matter.
func Took(d time.Duration) string {
	switch d = max(0, d); {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	default:
		return d.Round(time.Second).String()
	}
}

// Stamp is a point in time for people.
func Stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// CommandLine is argv as one would type it into a shell, in at most limit
// characters. Nothing in it can move a terminal's cursor.
func CommandLine(argv []string, limit int) string {
	var b strings.Builder
	for i, a := range argv {
		if b.Len() > 4*limit {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quote(a, 4*limit))
	}
	return Shorten(b.String(), limit)
}

// Shorten cuts s to limit characters and says so with an ellipsis.
func Shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == limit {
			return s[:i] + "…"
		}
	}
	return s
}

func quote(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit]
	}
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./=:,+@%^", r)
	}
	switch {
	case s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0:
		return s
	case strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0:
		return strconv.Quote(s)
	default:
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
}

// Leftovers names what outlived a child, by name and pid.
func Leftovers(list []journal.Leftover, cleared bool) string {
	var names []string
	for _, l := range list {
		if l.Cleared == cleared {
			names = append(names, fmt.Sprintf("%s(%d)", quote(l.Name, 64), l.PID))
		}
	}
	return Some(names)
}

// Members names live processes.
func Members(list []launch.Member) string {
	var names []string
	for _, m := range list {
		names = append(names, fmt.Sprintf("%s(%d)", quote(m.Name, 64), m.PID))
	}
	return Some(names)
}

const maxNamed = 10

// Some joins the names and says how many more there are.
func Some(names []string) string {
	if n := len(names) - maxNamed; n > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// joinWords is "a, b and c".
func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
