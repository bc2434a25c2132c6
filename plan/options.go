package plan

import "strings"

// shape is what the value of an option looks like.
type shape int

const (
	text  shape = iota
	words       // a list, or a single value
	flag        // true or false
	pairs       // a mapping of names to values
)

// options are what every task can say besides what it does, by the names of
// the flags of a single call. A file may spell them so or in camel case.
var options = []struct {
	name  string
	shape shape
}{
	{"name", text}, {"cwd", text}, {"env", pairs}, {"stdin", text}, {"queued", flag},
	{"runtime", text}, {"model", text}, {"thinking", text}, {"system-prompt", text}, {"tools", words}, {"permission", text}, {"context", text},
	{"max-turns", text}, {"max-tokens", text}, {"max-cost", text}, {"max-duration", text}, {"max-queue-wait", text},
	{"startup-timeout", text}, {"idle-timeout", text}, {"grace", text}, {"max-output", text}, {"max-memory", text}, {"max-processes", text},
	{"verify", words}, {"verify-retry", text}, {"verify-timeout", text},
}

// Options are what a task or the defaults of a plan say, read as flags are:
// the methods are those of a command line. The zero value says nothing.
type Options struct{ values map[string]value }

type value struct {
	line  int
	field string // as it was spelled
	texts []string
}

// IsSet reports whether the option is given.
func (o Options) IsSet(name string) bool { _, ok := o.values[name]; return ok }

// String is a single value, or a list of words separated by commas.
func (o Options) String(name string) string { return strings.Join(o.values[name].texts, ",") }

// StringSlice is a list; of an environment it is K=V each.
func (o Options) StringSlice(name string) []string { return o.values[name].texts }

// Bool reports whether the option is true.
func (o Options) Bool(name string) bool { return o.String(name) == "true" }

// Line is where the option is given, or 0.
func (o Options) Line(name string) int { return o.values[name].line }

// Field is how the file spells the option.
func (o Options) Field(name string) string {
	if v, ok := o.values[name]; ok {
		return v.field
	}
	return camel(name)
}

// camel spells a flag's name as the fields of a file are documented.
func camel(name string) string {
	parts := strings.Split(name, "-")
	for i := range parts[1:] {
		p := parts[i+1]
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

// optionNames lists the options as documented.
func optionNames() []string {
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = camel(o.name)
	}
	return names
}
