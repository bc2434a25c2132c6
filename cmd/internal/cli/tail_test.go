package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func naiveTail(body []byte, n int) int64 {
	lines := bytes.SplitAfter(body, []byte{'\n'})
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	lines = lines[:max(0, len(lines)-n)]
	return int64(len(bytes.Join(lines, nil)))
}

func TestTailOffset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := []byte(rapid.StringOfN(rapid.SampledFrom([]rune{'a', '\n', '\x00', 'ö'}), 0, 60, -1).Draw(t, "text"))
		if rapid.Bool().Draw(t, "long lines") {
			body = bytes.ReplaceAll(body, []byte{'a'}, bytes.Repeat([]byte{'b'}, tailChunk/3))
		}
		n := rapid.IntRange(0, 8).Draw(t, "lines")
		got, err := TailOffset(bytes.NewReader(body), int64(len(body)), n)
		require.NoError(t, err)
		require.Equal(t, naiveTail(body, n), got)
	})
}

// counting counts what is read.
type counting struct {
	io.ReaderAt
	n, largest int
}

func (c *counting) ReadAt(b []byte, off int64) (int, error) {
	c.n += len(b)
	c.largest = max(c.largest, len(b))
	return c.ReaderAt.ReadAt(b, off)
}

func TestTailOfHugeFiles(t *testing.T) {
	const size = 1 << 30
	f, err := os.Create(filepath.Join(t.TempDir(), "huge"))
	require.NoError(t, err)
	defer f.Close()
	_, err = f.WriteAt([]byte("\none\ntwo\nthree\n"), size) // behind a hole of NULs
	require.NoError(t, err)

	c := &counting{ReaderAt: f}
	at, err := TailOffset(c, size+15, 2)
	require.NoError(t, err)
	require.Equal(t, int64(size+5), at)
	require.LessOrEqual(t, c.n, tailChunk, "more was read than needed")

	// The line before is a gigabyte long: it is looked through, never held.
	c = &counting{ReaderAt: f}
	at, err = TailOffset(c, 100<<20, 1)
	require.NoError(t, err)
	require.Zero(t, at)
	require.LessOrEqual(t, c.largest, tailChunk)
}
