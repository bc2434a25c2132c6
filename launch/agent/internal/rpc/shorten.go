package rpc

import "bytes"

const (
	longLine   = 4 << 20  // from here on a line is shortened
	longString = 1 << 20  // and in it the strings from here on,
	keptString = 64 << 10 // of which this much is kept
)

// Shorten returns a line without the beginnings of its very long strings. A
// tool may put out 100 MB in one string, of which nobody wants more than the
// end, and which takes seconds to decode. What the agent itself says does not
// become so long. The line is not changed.
func Shorten(line []byte) []byte {
	if len(line) < longLine {
		return line
	}
	short := make([]byte, 0, longLine)
	for {
		begin := bytes.IndexByte(line, '"')
		if begin < 0 {
			return append(short, line...)
		}
		begin++
		short = append(short, line[:begin]...)
		line = line[begin:]
		end := closing(line)
		if end < 0 {
			return append(short, line...) // it is no JSON
		}
		text := line[:end]
		if end >= longString {
			text = text[end-keptString:]
			if escaped(line, end-keptString) {
				text = text[1:]
			}
		}
		short = append(append(short, text...), '"')
		line = line[end+1:]
	}
}

// closing is where the quote is that ends a string; -1: nowhere.
func closing(text []byte) int {
	for at := 0; ; at++ {
		next := bytes.IndexByte(text[at:], '"')
		if next < 0 {
			return -1
		}
		if at += next; !escaped(text, at) {
			return at
		}
	}
}

// escaped reports whether the character stands behind a backslash that is not
// one itself.
func escaped(text []byte, at int) bool {
	before := 0
	for at > before && text[at-before-1] == '\\' {
		before++
	}
	return before%2 == 1
}
