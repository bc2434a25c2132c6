package agent

import (
	"strings"
	"unicode/utf8"
)

// How much of a tool call an event tells. The whole stands in the stream.
const (
	maxLine = 200
	maxTail = 2000
)

// Line is a text as one line, cut where it is long: what a tool does.
func Line(text string) string {
	if len(text) > 4*maxLine {
		text = text[:4*maxLine]
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
	if len(text) <= maxLine {
		return text
	}
	cut := maxLine
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// Tail is the end of an output.
func Tail(text string) string {
	if len(text) > maxTail {
		text = text[len(text)-maxTail:]
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	return strings.Clone(text) // do not hold the whole line
}
