package cli

import (
	"bytes"
	"io"
)

const tailChunk = 64 << 10

// TailOffset returns where the last n lines of the size bytes in r begin. It
// reads backward from the end, a chunk at a time, and keeps none: neither a
// large file nor a long line matters. A last line without its newline counts.
func TailOffset(r io.ReaderAt, size int64, n int) (int64, error) {
	if n <= 0 {
		return size, nil
	}
	chunk := make([]byte, min(tailChunk, size))
	for end := size; end > 0; {
		at := max(0, end-tailChunk)
		b := chunk[:end-at]
		if _, err := r.ReadAt(b, at); err != nil && err != io.EOF {
			return 0, err
		}
		if end == size {
			b = b[:len(b)-1] // the newline that ends the last line begins none
		}
		for i := bytes.LastIndexByte(b, '\n'); i >= 0; i = bytes.LastIndexByte(b[:i], '\n') {
			if n--; n == 0 {
				return at + int64(i) + 1, nil
			}
		}
		end = at
	}
	return 0, nil
}
