package journal

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
)

// Matching yields at least the runs that are called name or whose id begins
// with prefix, newest first, and those of which neither is known yet. It
// looks for them in the cache as a whole instead of taking it apart.
func (x *Index) Matching(name, prefix string) iter.Seq[Entry] {
	if x.scanned {
		return x.merged
	}
	return func(yield func(Entry) bool) {
		if x.file == nil {
			return
		}
		body, err := readRest(x.file, x.body-1) // with the newline before the first line
		if err != nil {
			return
		}
		needles := []string{"\t" + strconv.Quote(name) + "\t", "\t\"\"\t\"\"\t"}
		if prefix != "" {
			needles = append(needles, "\n"+prefix)
		}
		for _, at := range slices.Backward(lineStarts(body, needles)) {
			line, _, _ := bytes.Cut(body[at:], []byte{'\n'})
			if e, ok := parseEntry(string(line)); ok && !yield(x.latest(e)) {
				return
			}
		}
	}
}

// lineStarts returns where the lines of body begin that hold a needle, in
// order and each once. A needle that begins with a newline begins a line.
func lineStarts(body []byte, needles []string) []int {
	var starts []int
	for _, needle := range needles {
		for at := 0; ; {
			i := bytes.Index(body[at:], []byte(needle))
			if i < 0 {
				break
			}
			at += i + 1
			starts = append(starts, bytes.LastIndexByte(body[:at], '\n')+1)
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}
