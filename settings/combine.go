package settings

import (
	"fmt"

	"github.com/agent-runs/agent-runs/journal"
)

// Ask is what one call says of the limits of its run. Zero is what it does
// not say, except for the grace, whose zero is a value.
type Ask struct {
	Limits     journal.Limits
	GraceGiven bool
	Agent      bool // an agent, which has a default for most; else a plain command
	Queued     bool // it waits for a slot
}

// Lowered is a limit that the call gave and a ceiling made smaller; or, where
// Turns is set, reserved turns that a setting gave and the call's turns made
// fewer.
type Lowered struct {
	Limit   string // its name below "limits"
	Value   string // what the call gave
	Ceiling string // what it is
	Origin  Origin // of the ceiling, or of the reserved turns
	Turns   int
}

// Words says so in one line; field is what the call calls the limit.
func (l Lowered) Words(field string) string {
	if l.Turns > 0 {
		return fmt.Sprintf("%s.%s %s (%s) is more than half of %d turns: it is %s", sectionLimits, l.Limit, l.Value, l.Origin, l.Turns, l.Ceiling)
	}
	return fmt.Sprintf("%s %s is above the ceiling: it is %s (%s.%s in %s)", field, l.Value, l.Ceiling, sectionCeiling, l.Limit, l.Origin)
}

// Combine gives a run its limits: what the call says, else the default, and
// neither above the ceiling. Where only a ceiling says anything, the ceiling
// is the limit. A plain command has no defaults but the grace and, where it
// queues, how long it waits.
func (s *Settings) Combine(a Ask) (journal.Limits, []Lowered) { return s.combine(a, true) }

// Cap gives an agent the limits that another run had, as far as the ceilings
// go by now.
func (s *Settings) Cap(had journal.Limits) (journal.Limits, []Lowered) {
	return s.combine(Ask{Limits: had, GraceGiven: true, Agent: true}, false)
}

func (s *Settings) combine(a Ask, defaults bool) (journal.Limits, []Lowered) {
	var lowered []Lowered
	out := a.Limits
	for _, l := range limits {
		v := l.get(&out)
		given := v != 0 || l.name == "grace" && a.GraceGiven
		if !given && !l.applies(a) {
			continue
		}
		if def := s.find(sectionLimits + "." + l.name); defaults && !given && !def.None() && l.hasDefault(a) {
			v = def.Number
			l.set(&out, v)
		}
		top := s.find(sectionCeiling + "." + l.name)
		if top.None() || v <= top.Number && (v != 0 || l.zero) {
			continue
		}
		l.set(&out, top.Number)
		if given {
			lowered = append(lowered, Lowered{Limit: l.name, Value: top.Words(v), Ceiling: top.Text, Origin: top.Origin})
		}
	}
	if half, ok := s.halved(out, defaults); ok {
		lowered = append(lowered, half)
		out.ReservedTurns = out.MaxTurns / 2
	}
	if out.MaxTurns > 0 { // the first turn is always one to work in
		out.ReservedTurns = min(out.ReservedTurns, out.MaxTurns-1)
	}
	return out, lowered
}

// halved bounds the reserved turns that a setting gives: whoever set them did
// not know of turns that come from elsewhere, and most of those are to work in.
func (s *Settings) halved(of journal.Limits, defaults bool) (Lowered, bool) {
	reserved, turns := s.find(sectionLimits+".reservedTurns"), s.find(sectionLimits+".turns")
	together := reserved.Origin == turns.Origin && of.MaxTurns == int(turns.Number)
	if !defaults || together || reserved.Origin.Layer == LayerDefault || of.MaxTurns < 2 || of.ReservedTurns <= of.MaxTurns/2 {
		return Lowered{}, false
	}
	return Lowered{Limit: "reservedTurns", Value: fmt.Sprint(of.ReservedTurns), Ceiling: fmt.Sprint(of.MaxTurns / 2), Origin: reserved.Origin, Turns: of.MaxTurns}, true
}

// Behind names the setting that a limit of a run comes from, with its value and
// where it is: what Combine gave is compared with what is in force. "" is none.
func (s *Settings) Behind(name string, of journal.Limits) string {
	for _, l := range limits {
		v := l.get(&of)
		if l.name != name || v == 0 {
			continue
		}
		for _, section := range []string{sectionCeiling, sectionLimits} {
			if x := s.find(section + "." + name); !x.None() && x.Number == v {
				return fmt.Sprintf("%s %s in %s", x.Name, x.Text, x.Origin)
			}
		}
	}
	return ""
}

// applies reports whether a run is bounded by the limit at all.
func (l limit) applies(a Ask) bool {
	switch l.bounds {
	case agents:
		return a.Agent
	case waiting:
		return a.Queued
	}
	return true
}

// hasDefault reports whether a run that the limit applies to gets its default.
func (l limit) hasDefault(a Ask) bool {
	return a.Agent || l.bounds == waiting || l.name == "grace"
}

// Default is the limit of that name, as written, that an agent run has where
// nobody says otherwise; "" is none.
func Default(limit string) string {
	for _, l := range limits {
		if l.name == limit {
			return l.fallback
		}
	}
	return ""
}
