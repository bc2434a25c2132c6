package cli

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCommandLine(t *testing.T) {
	for want, argv := range map[string][]string{
		"make test":            {"make", "test"},
		"sh -c 'sleep 1; x'":   {"sh", "-c", "sleep 1; x"},
		`echo 'don'\''t'`:      {"echo", "don't"},
		`printf "a\tb\x1b[2J"`: {"printf", "a\tb\x1b[2J"},
		"echo ''":              {"echo", ""},
		"grüße":                {"grüße"},
	} {
		require.Equal(t, want, CommandLine(argv, 60))
	}
}

func TestCommandLineStaysOnItsLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		argv := rapid.SliceOf(rapid.String()).Draw(t, "argv")
		limit := rapid.IntRange(1, 80).Draw(t, "limit")
		s := CommandLine(argv, limit)
		require.LessOrEqual(t, utf8.RuneCountInString(s), limit)
		require.Equal(t, -1, strings.IndexFunc(s, unicode.IsControl), "%q", s)
	})
	require.Less(t, len(CommandLine([]string{strings.Repeat("x", 5<<20)}, 60)), 70)
}

func TestAge(t *testing.T) {
	now := time.Now()
	for d, want := range map[time.Duration]string{
		-time.Hour: "0s", 0: "0s", 59 * time.Second: "59s", 119 * time.Second: "119s", 2 * time.Minute: "2m",
		119 * time.Minute: "119m", 2 * time.Hour: "2h", 47 * time.Hour: "47h", 48 * time.Hour: "2d", 900 * 24 * time.Hour: "900d",
	} {
		require.Equal(t, want, Age(now.Add(-d), now))
	}
}

func TestTook(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 1234 * time.Microsecond: "1ms", 12345 * time.Millisecond: "12.3s", 61*time.Second + 9*time.Millisecond: "1m1s",
	} {
		require.Equal(t, want, Took(d))
	}
}
