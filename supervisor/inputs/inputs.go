// Package inputs puts what a run's needs have come to into what it is started
// with. It is pure.
//
// A text may name an output: {previous} is that of all its needs, in order,
// and {outputs.NAME} that of one, by the name of its task, its run's name or
// the beginning of its id. In a command only these are replaced. A prompt that
// names none is given all outputs before its own words. Each output is cut to
// MaxOutput bytes, and says where the rest is.
package inputs

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-runs/agent-runs/internal/placeholder"
)

// MaxOutput bounds what is passed on of one output, in bytes: an argument of a
// command has at most 128 KiB on Linux, and a prompt has better uses.
const MaxOutput = 16 << 10

// Output is what one need has come to.
type Output struct {
	RunID string
	Task  string // its name in a plan, or ""
	Name  string // its run's name, or ""
	Text  string // its end, where it was too long
	Size  int64  // of the whole, in bytes
}

// Fill replaces the outputs that text names. What names nothing that is known
// stays as it is.
func Fill(text string, outputs []Output) string {
	return placeholder.Replace(text, func(r placeholder.Ref) string {
		if r.ID == "" {
			var all []string
			for _, o := range outputs {
				all = append(all, o.cut())
			}
			return strings.Join(all, "\n\n")
		}
		if o := find(outputs, r.ID); o != nil {
			return o.cut()
		}
		return r.String()
	})
}

// Prompt is Fill, or the prompt with all outputs before it.
func Prompt(prompt string, outputs []Output) string {
	if len(placeholder.Refs(prompt)) > 0 || len(outputs) == 0 {
		return Fill(prompt, outputs)
	}
	var b strings.Builder
	b.WriteString("What has been done before, and what came of it:\n\n")
	for _, o := range outputs {
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", o.title(), o.cut())
	}
	b.WriteString("## Your task\n\n")
	b.WriteString(prompt)
	return b.String()
}

// Argv is Fill for every argument.
func Argv(argv []string, outputs []Output) []string {
	filled := make([]string, len(argv))
	for i, a := range argv {
		filled[i] = Fill(a, outputs)
	}
	return filled
}

func find(outputs []Output, name string) *Output {
	for i := range outputs {
		if o := &outputs[i]; o.Task == name || o.Name == name {
			return o
		}
	}
	for i := range outputs {
		if o := &outputs[i]; strings.HasPrefix(o.RunID, strings.ToUpper(name)) {
			return o
		}
	}
	return nil
}

func (o Output) title() string {
	switch {
	case o.Task != "":
		return o.Task
	case o.Name != "":
		return o.Name
	}
	return "run " + o.RunID
}

// cut is the end of the text, which mostly tells more than its beginning, cut
// at a rune.
func (o Output) cut() string {
	text := o.Text
	if len(text) > MaxOutput {
		text = text[len(text)-MaxOutput:]
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	if int64(len(text)) >= o.Size {
		return text
	}
	return fmt.Sprintf("[the end of %d bytes; the whole: agent-runs logs %s]\n%s", o.Size, o.RunID, text)
}
