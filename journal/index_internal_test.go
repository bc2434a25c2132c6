package journal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestBackward reads lines whose ends fall on, before and behind the borders
// of the chunks it reads.
func TestBackward(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	near := rapid.OneOf(rapid.IntRange(1, 5), rapid.IntRange(backwardChunk-3, backwardChunk+3), rapid.IntRange(2*backwardChunk-2, 2*backwardChunk+2))
	rapid.Check(t, func(t *rapid.T) {
		header := strings.Repeat("h", rapid.IntRange(0, 40).Draw(t, "header")) + "\n"
		var lines []string
		for i, n := range rapid.SliceOfN(near, 0, 6).Draw(t, "lengths") {
			lines = append(lines, strings.Repeat(string(rune('a'+i)), n))
		}
		body := header
		for _, l := range lines {
			body += l + "\n"
		}
		require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		var got []string
		for b := (&backward{f: f, start: int64(len(header)), end: int64(len(body))}); b.next(); {
			got = append(got, b.line)
		}
		slices.Reverse(got)
		require.Equal(t, lines, got)
	})
}

// FuzzParseEntry: a line of the cache is an entry with a valid id, or nothing.
func FuzzParseEntry(f *testing.F) {
	for _, s := range []string{"", "\t\t\t\t", "01KJMDZM00VN4DMTDYQKWM3A7Z\t\"user\"\t\"\"\tcompleted\t", "01KJMDZM00VN4DMTDYQKWM3A7Z\t\"a\\tb\"\t\"\\n\"\t\tpart", "x\t\"\"\t\"\"\t\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		e, ok := parseEntry(line)
		if !ok {
			return
		}
		if !ValidID(e.ID) || !strings.HasPrefix(line, e.ID+"\t") || strings.Contains(e.Status, "\t") {
			t.Fatalf("%q gave %+v", line, e)
		}
	})
}
