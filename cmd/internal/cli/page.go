package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// DefaultPage is how much of a text is shown where nobody says how much, and
// MaxPage the most that is taken into memory at once.
const (
	DefaultPage = 64 << 10
	MaxPage     = 16 << 20
)

// Page is a piece of a text that begins and ends between two characters, so
// that pages put one after the other are the text, byte for byte.
type Page struct {
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	Next   *int64 `json:"next,omitempty"` // where to go on; absent: that was all
}

// PageOf places a page of about length bytes from about offset in f. Its edges
// move back to where a character begins; it holds at least one if there is
// one. growing says that more may be written: then a character that is not
// whole yet is left for the next page.
func PageOf(f *os.File, offset, length int64, growing bool) (Page, error) {
	info, err := f.Stat()
	if err != nil {
		return Page{}, err
	}
	return pageOf(f, info.Size(), offset, length, growing)
}

// PageOfText is PageOf for a text in memory; it returns the page's text too.
func PageOfText(text string, offset, length int64, growing bool) (string, Page, error) {
	p, err := pageOf(strings.NewReader(text), int64(len(text)), offset, length, growing)
	return text[p.Offset : p.Offset+p.Length], p, err
}

func pageOf(f io.ReaderAt, size, offset, length int64, growing bool) (Page, error) {
	offset = min(offset, size)
	start, _, err := runeStart(f, offset)
	if err != nil {
		return Page{}, err
	}
	end, after, err := runeStart(f, offset+min(length, size-offset))
	if err != nil {
		return Page{}, err
	}
	if end == start {
		end = after
	}
	if growing && end == size {
		if end, err = wholeRunes(f, start, size); err != nil {
			return Page{}, err
		}
	}
	p := Page{Offset: start, Length: end - start}
	if end < size || growing {
		p.Next = &end
	}
	return p, nil
}

// runeStart returns the start and the end of the character that at is inside
// of, or at twice. Bytes that are no UTF-8 are each their own.
func runeStart(r io.ReaderAt, at int64) (start, end int64, err error) {
	from := max(0, at-utf8.UTFMax+1)
	b, err := readAt(r, from, int(at-from)+utf8.UTFMax)
	if err != nil {
		return 0, 0, err
	}
	for i := int(at - from); i >= 0; i-- {
		if i < len(b) && utf8.RuneStart(b[i]) {
			_, n := utf8.DecodeRune(b[i:])
			if begin := from + int64(i); begin+int64(n) > at {
				return begin, begin + int64(n), nil
			}
			break
		}
	}
	return at, at, nil
}

// wholeRunes returns where the last character that is begun but not whole in
// [start, end) begins, or end.
func wholeRunes(r io.ReaderAt, start, end int64) (int64, error) {
	from := max(start, end-utf8.UTFMax+1)
	b, err := readAt(r, from, int(end-from))
	if err != nil {
		return 0, err
	}
	for i := len(b) - 1; i >= 0; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return from + int64(i), nil
			}
			break
		}
	}
	return end, nil
}

func readAt(r io.ReaderAt, off int64, n int) ([]byte, error) {
	b := make([]byte, n)
	got, err := r.ReadAt(b, off)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:got], err
}

// Read returns the page's bytes.
func (p Page) Read(f *os.File) ([]byte, error) {
	b, err := readAt(f, p.Offset, int(p.Length))
	if err == nil && int64(len(b)) < p.Length {
		err = fmt.Errorf("%s became shorter while it was read", f.Name())
	}
	return b, err
}

// Copy writes the page's bytes to w.
func (p Page) Copy(w io.Writer, f *os.File) error {
	if _, err := f.Seek(p.Offset, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyN(w, f, p.Length)
	return err
}

// CheckPage refuses what can be no page. most bounds length; 0: nothing does.
func CheckPage(offset, length, most int64) error {
	switch {
	case offset < 0:
		return Fail(Usage, "--offset %d is negative, 0 and more are accepted", offset)
	case length < 1:
		return Fail(Usage, "--length %d is out of range, 1 and more are accepted", length)
	case most > 0 && length > most:
		return Fail(Usage, "--length %d is out of range, 1 to %d are accepted", length, most)
	}
	return nil
}
