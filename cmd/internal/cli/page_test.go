package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rapidText makes texts of characters of every length and, at times, of bytes
// that are none.
func rapidText(t *rapid.T) []byte {
	piece := rapid.OneOf(rapid.SampledFrom([]string{"a", "ö", "€", "𝄞", "\n", "\x00", "日本"}), rapid.SampledFrom([]string{"\xff", "\x80", "\xc3", "\xe2\x82", "\xf0\x9d\x84"}))
	return []byte(strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "text"), ""))
}

func fileOf(t require.TestingT, dir string, body []byte) *os.File {
	path := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(path, body, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	return f
}

// inside reports whether at is in the middle of a valid character.
func inside(body []byte, at int64) bool {
	for i := 0; i < len(body); {
		_, n := utf8.DecodeRune(body[i:])
		if int64(i) < at && at < int64(i+n) {
			return true
		}
		i += n
	}
	return false
}

func TestPagesPutTogetherAreTheText(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		body := rapidText(t)
		f := fileOf(t, dir, body)
		defer f.Close()
		length := rapid.Int64Range(1, 9).Draw(t, "length")
		var got []byte
		for offset := int64(0); ; {
			p, err := PageOf(f, offset, length, false)
			require.NoError(t, err)
			require.Equal(t, offset, p.Offset)
			require.LessOrEqual(t, p.Length, max(length, utf8.UTFMax))
			require.False(t, inside(body, p.Offset+p.Length), "page %+v cuts a character of %q", p, body)
			b, err := p.Read(f)
			require.NoError(t, err)
			got = append(got, b...)
			var copied bytes.Buffer
			require.NoError(t, p.Copy(&copied, f))
			require.Equal(t, string(b), copied.String())
			if p.Next == nil {
				break
			}
			require.Greater(t, *p.Next, offset, "no progress in %q", body)
			offset = *p.Next
		}
		require.Equal(t, body, append([]byte{}, got...))
	})
}

// TestPagesOfEqualLengthTile is for those who compute offsets by themselves.
func TestPagesOfEqualLengthTile(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		body := rapidText(t)
		f := fileOf(t, dir, body)
		defer f.Close()
		length := rapid.Int64Range(utf8.UTFMax, 12).Draw(t, "length")
		var got []byte
		for offset := int64(0); offset < int64(len(body))+length; offset += length {
			p, err := PageOf(f, offset, length, false)
			require.NoError(t, err)
			require.False(t, inside(body, p.Offset))
			b, err := p.Read(f)
			require.NoError(t, err)
			got = append(got, b...)
		}
		require.Equal(t, string(body), string(got))
	})
}

// TestPagesOfAGrowingText never cut a character that is not whole yet.
func TestPagesOfAGrowingText(t *testing.T) {
	text := []byte("aö€𝄞")
	for size := range len(text) + 1 {
		f := fileOf(t, t.TempDir(), text[:size])
		p, err := PageOf(f, 0, 100, true)
		require.NoError(t, err)
		require.True(t, utf8.Valid(text[:p.Length]), "%q", text[:p.Length])
		require.Less(t, int64(size)-p.Length, int64(utf8.UTFMax))
		require.Equal(t, p.Length, *p.Next)
		f.Close()
	}
}

func TestPageBeyondTheEnd(t *testing.T) {
	f := fileOf(t, t.TempDir(), []byte("abc"))
	defer f.Close()
	p, err := PageOf(f, 1<<62, 1<<62, false)
	require.NoError(t, err)
	require.Equal(t, Page{Offset: 3}, p)
}

func TestPagesOfATextAreTheText(t *testing.T) {
	const text = "añ日本\U0001F600z"
	var all string
	for offset := int64(0); ; {
		piece, page, err := PageOfText(text, offset, 2, false)
		require.NoError(t, err)
		require.True(t, utf8.ValidString(piece))
		all += piece
		if page.Next == nil {
			break
		}
		offset = *page.Next
	}
	require.Equal(t, text, all)
	piece, page, err := PageOfText(text, 1000, 5, true)
	require.NoError(t, err)
	require.Empty(t, piece)
	require.EqualValues(t, len(text), *page.Next)
}
