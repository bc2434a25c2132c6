package settings

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-runs/agent-runs/internal/nearest"
)

// merge puts the layers' files over the defaults, lowest first.
func merge(files []content) *Settings {
	keys := Keys()
	s := &Settings{All: make([]Setting, len(keys))}
	for i, k := range keys {
		s.All[i] = Setting{Key: k, Origin: Origin{Layer: LayerDefault}}
		if k.Default != "" {
			if v, err := k.Parse(k.Default); err == nil { // a test parses all of them
				s.All[i].Value = v
			}
		}
	}
	for _, f := range files {
		switch {
		case !f.there:
		case f.trouble != "":
			s.warn("%s is left out: %s", f.Path, f.trouble)
		default:
			s.lay(f)
		}
	}
	return s
}

// lay puts one file over what there is.
func (s *Settings) lay(f content) {
	all, problems, err := fields(f.body)
	if err != nil {
		s.warn("%s is left out: %v", f.Path, err)
		return
	}
	for _, p := range problems {
		s.warn("%s: %s", f.Path, p.Words)
	}
	for _, x := range all {
		below := s.find(x.Name)
		if why := x.refusedFrom(f.Layer, *below); why != "" {
			s.warn("%s: %s %s is left out: %s", f.Path, x.Name, shown(x.JSON(x.Value)), why)
			continue
		}
		if f.Layer == LayerProject && x.Number == below.Number {
			continue // it changes nothing
		}
		below.Value, below.Origin = x.Value, Origin{f.Layer, f.Path}
	}
}

// warn adds one line that can be printed: a file may hold anything.
func (s *Settings) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, strings.Map(printable, fmt.Sprintf(format, args...)))
}

func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return unicode.ReplacementChar
	}
	return r
}

// find returns the setting of a name that is known to be one.
func (s *Settings) find(name string) *Setting {
	for i := range s.All {
		if s.All[i].Name == name {
			return &s.All[i]
		}
	}
	return &Setting{}
}

// refusedFrom says why a layer may not set this value over what is below, or
// "". Only a project's file is not trusted.
func (x field) refusedFrom(layer string, below Setting) string {
	switch {
	case layer != LayerProject:
		return ""
	case x.Personal() != "":
		return x.Personal()
	case !below.None() && x.Number > below.Number:
		return fmt.Sprintf("a project's file can only tighten, and %s is in force (%s)", below.Text, below.Origin)
	}
	return ""
}

// field is a setting that a file sets.
type field struct {
	Key
	Value
}

// Problem is something in a file that is left out by itself.
type Problem struct {
	Words   string
	Unknown bool // there is no such setting: nothing to this program, but perhaps something to a newer one
}

// maxProblems bounds how much is said of one file: a hostile one could name
// a hundred thousand settings that there are not.
const maxProblems = 20

// fields returns the settings that a file sets and what in it is none. The
// error says why the file as a whole makes no sense.
func fields(body []byte) ([]field, []Problem, error) {
	top, err := parse(body)
	if err != nil {
		return nil, nil, err
	}
	r := reader{keys: Keys()}
	for _, m := range top {
		if passedOver(m.name) {
			continue
		}
		switch {
		case !IsSection(m.name):
			r.read(m.name, m.raw)
		case m.raw[0] != '{':
			r.problem(func() Problem {
				return Problem{Words: fmt.Sprintf("%s %s is left out: an object is accepted, with some of %s", m.name, shown(m.raw), strings.Join(keysBelow(m.name), ", "))}
			})
		default:
			for _, n := range inside(m.raw) {
				r.read(m.name+"."+n.name, n.raw)
			}
		}
	}
	if r.untold > 0 {
		r.problems = append(r.problems, Problem{Words: fmt.Sprintf("%d more fields are left out", r.untold)})
	}
	return r.fields, r.problems, nil
}

type reader struct {
	keys     []Key
	fields   []field
	problems []Problem
	untold   int
}

func (r *reader) read(name string, raw json.RawMessage) {
	for _, k := range r.keys {
		if k.Name != name {
			continue
		}
		if v, err := k.fromJSON(raw); err != nil {
			r.problem(func() Problem { return Problem{Words: fmt.Sprintf("%s %s is left out: %v", name, shown(raw), err)} })
		} else {
			r.fields = append(r.fields, field{k, v})
		}
		return
	}
	r.problem(func() Problem { return Problem{Unknown: true, Words: Unknown(name)} })
}

func (r *reader) problem(p func() Problem) {
	if len(r.problems) == maxProblems {
		r.untold++
		return
	}
	r.problems = append(r.problems, p())
}

// sections are the names that hold settings and are none themselves.
func sections() []string { return []string{sectionLimits, sectionCeiling, sectionVerify} }

// IsSection reports whether settings are below that name.
func IsSection(name string) bool { return slices.Contains(sections(), name) }

// keysBelow returns the names of the settings in a section, without its own.
func keysBelow(section string) []string {
	var names []string
	for _, k := range Keys() {
		if name, ok := strings.CutPrefix(k.Name, section+"."); ok {
			names = append(names, name)
		}
	}
	return names
}

// Unknown says that there is no setting of that name, and which may be meant.
func Unknown(name string) string {
	words := fmt.Sprintf("there is no setting %q", shorten(name))
	if meant := meant(name); meant != "" {
		words += fmt.Sprintf("; %q is the nearest", meant)
	}
	return words
}

// meant is the setting or section that somebody may have meant, or "". Whoever
// leaves the section out means a limit.
func meant(name string) string {
	known := Names()
	if near := nearest.Of(name, append(known, sections()...)); near != "" {
		return near
	}
	section, leaf, ok := strings.Cut(name, ".")
	if !ok {
		section, leaf = sectionLimits, name
	}
	leaf = strings.TrimPrefix(leaf, "max")
	if near := nearest.Of(leaf, keysBelow(sectionLimits)); near != "" && len(keysBelow(section)) > 1 {
		return section + "." + near
	}
	return ""
}

// shown is a value as it stands in a file, cut to what fits in a line.
func shown(raw json.RawMessage) string {
	return shorten(strings.Join(strings.Fields(string(raw)), " "))
}
