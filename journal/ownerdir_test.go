package journal_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func folder(owner string) string { return filepath.Base(journal.Home{Dir: "/h"}.Owner(owner)) }

func TestOwnersHaveAFolderEach(t *testing.T) {
	for owner, want := range map[string]string{
		"user":                    "user",
		"session-7_b.c":           "session-7_b.c",
		"..":                      "%2e.",
		".":                       "%2e",
		"../../etc/passwd":        "%2e.%2f..%2fetc%2fpasswd",
		"User":                    "%55ser",
		"50%":                     "50%25",
		"Grüße":                   "%47r%c3%bc%c3%9fe",
		"a b":                     "a%20b",
		"":                        "%-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		strings.Repeat("x", 200):  strings.Repeat("x", 200),
		strings.Repeat("é", 100):  strings.Repeat("%c3%a9", 16) + "%c3%" + "%-" + folder(strings.Repeat("é", 100))[102:],
		"01KJMDZM00VN4DMTDYQKWM3": "01%4b%4a%4d%44%5a%4d00%56%4e4%44%4d%54%44%59%51%4b%57%4d3",
	} {
		require.Equal(t, want, folder(owner), owner)
		require.LessOrEqual(t, len(folder(owner)), 255)
	}
}

// TestNoTwoOwnersShareAFolder, also where case does not count.
func TestNoTwoOwnersShareAFolder(t *testing.T) {
	label := rapid.StringOfN(rapid.RuneFrom([]rune{'a', 'A', '.', '/', '%', '-', '2', 'e', 'f', 'é'}), 0, 90, 200)
	rapid.Check(t, func(t *rapid.T) {
		a, b := label.Draw(t, "a"), label.Draw(t, "b")
		if a != b && strings.EqualFold(folder(a), folder(b)) {
			t.Fatalf("%q and %q are both %s", a, b, folder(a))
		}
		if f := folder(a); f == "." || f == ".." || strings.ContainsAny(f, "/\x00") || len(f) > 255 {
			t.Fatalf("%q is %q", a, f)
		}
	})
}
