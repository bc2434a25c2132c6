// Package nearest finds what somebody may have meant by a mistyped word.
package nearest

import "strings"

// Of returns the word of known that is nearest to word, or "" if none is near
// enough to be meant: at most a third of its characters differ, rounded. Case, dashes and
// underscores do not count. Of several equally near ones it is the first.
func Of(word string, known []string) string {
	w := plain(word)
	best, least := "", 0
	for _, k := range known {
		p := plain(k)
		longer := max(len(w), len(p))
		d := distance(w, p)
		if 3*d <= longer+1 && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// longest bounds the work for a word that nobody typed, in characters.
const longest = 64

func plain(s string) []rune {
	s = strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(s[:min(len(s), 4*longest)]))
	r := []rune(s)
	return r[:min(len(r), longest)]
}

// distance counts the characters to insert, delete, replace or swap with their
// neighbour to make b of a, each of them touched once.
func distance(a, b []rune) int {
	var before, last, row [longest + 1]int // the last three rows of the table
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
