// Package options reads a command line for a program without subcommands that
// has to start fast: package flag knows the options, and what it leaves out is
// added here: options behind arguments, help with all there is, completion.
//
// An option is written --name VALUE or --name=VALUE; one dash does as well.
// Options may stand before, between and behind the words. "--" ends them.
package options

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-runs/agent-runs/internal/nearest"
)

// Option is one that a program knows. In Usage a word in backquotes stands for
// the value.
type Option struct {
	Name, Short, Usage string
	kind               kind
}

type kind int

const (
	text   kind = iota
	texts       // given any number of times
	toggle      // without a value, or with =true or =false
)

// Text, Texts and Toggle make an option of each kind.
func Text(name, usage string) Option          { return Option{Name: name, Usage: usage} }
func Texts(name, usage string) Option         { return Option{Name: name, Usage: usage, kind: texts} }
func Toggle(name, short, usage string) Option { return Option{name, short, usage, toggle} }

// Error is a command line that cannot be read, in words for people.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

// Line is a command line that was read.
type Line struct {
	Words []string // the arguments that are no options
	Ended bool     // "--" ended the options, so all words that follow it are as they are

	options *flag.FlagSet
	names   map[string]string // of each spelling
	lists   map[string]*[]string
	set     map[string]bool
}

// IsSet reports whether an option was given.
func (l *Line) IsSet(name string) bool { return l.set[name] }

// String is the last value that an option was given, or "".
func (l *Line) String(name string) string { return l.options.Lookup(name).Value.String() }

// Bool reports whether a toggle is on.
func (l *Line) Bool(name string) bool { return l.String(name) == "true" }

// StringSlice are all values that an option was given.
func (l *Line) StringSlice(name string) []string { return *l.lists[name] }

// Read takes args, without the program's name, apart.
func Read(known []Option, args []string) (*Line, error) {
	l := newLine(known)
	for len(args) > 0 {
		switch first := args[0]; {
		case first == "--":
			l.Ended, l.Words = true, append(l.Words, args[1:]...)
			return l, nil
		case len(first) < 2 || first[0] != '-':
			l.Words, args = append(l.Words, first), args[1:]
		case !named(first):
			l.Words = append(l.Words, args...) // a text that begins with a dash, such as "-5 is wrong"
			return l, nil
		default:
			n, err := l.read(args)
			if err != nil {
				return nil, err
			}
			args = args[n:]
		}
	}
	return l, nil
}

// named reports whether a name follows the dashes of an option.
func named(arg string) bool {
	r, _ := utf8.DecodeRuneInString(arg[1:])
	return r == '-' || unicode.IsLetter(r)
}

func newLine(known []Option) *Line {
	l := &Line{options: flag.NewFlagSet("", flag.ContinueOnError), names: map[string]string{}, lists: map[string]*[]string{}, set: map[string]bool{}}
	for _, o := range known {
		switch o.kind {
		case text:
			l.options.String(o.Name, "", o.Usage)
		case texts:
			list := new([]string)
			l.lists[o.Name] = list
			l.options.Func(o.Name, o.Usage, func(s string) error {
				*list = append(*list, s)
				return nil
			})
		case toggle:
			l.options.Bool(o.Name, false, o.Usage)
		}
		l.names[o.Name] = o.Name
		if o.Short != "" {
			l.names[o.Short] = o.Name
		}
	}
	return l
}

// read takes the option that args begin with, and returns how many of them it
// was.
func (l *Line) read(args []string) (int, error) {
	spelled, value, given := strings.Cut(strings.TrimPrefix(args[0][1:], "-"), "=")
	name, known := l.names[spelled]
	if !known {
		return 0, &Error{"there is no flag " + dashed(spelled) + l.meant(spelled)}
	}
	n := 1
	_, isToggle := l.options.Lookup(name).Value.(interface{ IsBoolFlag() bool })
	switch {
	case given:
	case isToggle:
		value = "true"
	case len(args) < 2:
		return 0, &Error{dashed(spelled) + " needs a value"}
	default:
		value, n = args[1], 2
	}
	if err := l.options.Set(name, value); err != nil {
		return 0, &Error{dashed(spelled) + " " + strconv.Quote(value) + " is none; true and false are accepted"}
	}
	l.set[name] = true
	return n, nil
}

// meant asks whether a known option was meant by a mistyped one, if one is near.
func (l *Line) meant(spelled string) string {
	near := nearest.Of(spelled, slices.Sorted(maps.Keys(l.names)))
	if near == "" {
		return ""
	}
	return "; did you mean " + dashed(near) + "?"
}

func dashed(name string) string {
	if utf8.RuneCountInString(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// Complete prints what the word that is being typed could become, for a shell:
// each with what it means. Offered are options, and behind one of those in
// values what its function prints.
func Complete(w io.Writer, known []Option, values map[string]func(io.Writer), typed string) {
	if offer := values[strings.TrimLeft(typed, "-")]; offer != nil && strings.HasPrefix(typed, "-") {
		offer(w)
		return
	}
	if !strings.HasPrefix(typed, "-") {
		return
	}
	prefix := strings.TrimLeft(typed, "-")
	for _, o := range known {
		if strings.HasPrefix(o.Name, prefix) && o.Name != prefix {
			_, usage := flag.UnquoteUsage(&flag.Flag{Name: o.Name, Usage: o.Usage})
			fmt.Fprintf(w, "--%s:%s\n", o.Name, usage)
		}
	}
}
