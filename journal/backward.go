package journal

import (
	"os"
	"strings"
)

const backwardChunk = 32 << 10

// backward reads the lines of a file from its end.
type backward struct {
	line string // the current one, without its newline

	f          *os.File
	start, end int64  // what is not read yet
	rest       string // what was read and not returned yet
}

// backward reads the entries of the cache. A cache that cannot be read on has
// no more of them.
func (x *Index) backward() *backward {
	b := &backward{f: x.file, start: x.body}
	if x.file != nil {
		if info, err := x.file.Stat(); err == nil {
			b.end = info.Size()
		}
	}
	return b
}

// next moves to the line before, if there is one.
func (b *backward) next() bool {
	for {
		rest := strings.TrimSuffix(b.rest, "\n")
		if i := strings.LastIndexByte(rest, '\n'); i >= 0 {
			b.line, b.rest = rest[i+1:], rest[:i+1]
			return true
		}
		if b.end <= b.start {
			b.line, b.rest = rest, ""
			return b.line != ""
		}
		at := max(b.start, b.end-backwardChunk)
		chunk := make([]byte, b.end-at)
		if _, err := b.f.ReadAt(chunk, at); err != nil {
			return false
		}
		b.rest, b.end = string(chunk)+b.rest, at
	}
}

func readRest(f *os.File, from int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, max(0, info.Size()-from))
	_, err = f.ReadAt(b, from)
	return b, err
}
