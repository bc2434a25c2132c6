// Package placeholder finds the places in a text where the output of another
// run belongs: {previous} and {outputs.ID}. Any other text in braces is text.
package placeholder

import "strings"

const (
	previous = "{previous}"
	outputs  = "{outputs."
)

// Ref is what one placeholder stands for: the run or task with that ID, or all
// that is needed, in order, where ID is "".
type Ref struct{ ID string }

// String is the placeholder as it is written.
func (r Ref) String() string {
	if r.ID == "" {
		return previous
	}
	return outputs + r.ID + "}"
}

// Refs lists the placeholders in text, in order.
func Refs(text string) (refs []Ref) {
	Replace(text, func(r Ref) string {
		refs = append(refs, r)
		return ""
	})
	return refs
}

// Replace puts in place of each placeholder what with returns for it. That is
// not looked at again: an output may contain what looks like a placeholder.
func Replace(text string, with func(Ref) string) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at])
		text = text[at:]
		ref, size := leading(text)
		if size == 0 {
			b.WriteByte('{')
			text = text[1:]
			continue
		}
		b.WriteString(with(ref))
		text = text[size:]
	}
}

// leading returns the placeholder that text begins with and its length, or 0.
func leading(text string) (Ref, int) {
	if strings.HasPrefix(text, previous) {
		return Ref{}, len(previous)
	}
	rest, ok := strings.CutPrefix(text, outputs)
	if !ok {
		return Ref{}, 0
	}
	end := strings.IndexAny(rest, "{} \t\r\n")
	if end < 1 || rest[end] != '}' {
		return Ref{}, 0
	}
	return Ref{rest[:end]}, len(outputs) + end + 1
}
