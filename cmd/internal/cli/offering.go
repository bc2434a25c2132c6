package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// offered is how many runs a shell is offered.
const offered = 20

// OfferRuns prints the newest runs of one's own for a shell that completes,
// each with what it is. A shell has no use for errors.
func OfferRuns(w io.Writer) {
	owner, err := Owner("")
	if err != nil {
		return
	}
	h, err := Home()
	if err != nil {
		return
	}
	ids, _, err := List(h, Query{Owner: owner, Limit: offered})
	if err != nil {
		return
	}
	rows, err := Rows(h, ids)
	if err != nil {
		return
	}
	for _, r := range rows {
		word := r.ID
		if PlainWord(r.Name) {
			word = r.Name
		}
		fmt.Fprintf(w, "%s:%s\n", word, strings.TrimSpace(r.Status+" "+r.Command))
	}
}

// PlainWord reports whether a name means itself in every shell: what is
// offered is put into the command line as it is.
func PlainWord(s string) bool {
	plain := func(r rune) bool {
		return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("-_./", r)
	}
	return s != "" && s[0] != '-' && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) })
}
