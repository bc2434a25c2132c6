// Package span reads durations as people write them.
package span

import (
	"strconv"
	"strings"
	"time"
)

// Longest is the longest duration anybody means.
const Longest = 366 * 24 * time.Hour

// Parse reads a duration as Go does, or in days. Absurdly long ones are cut
// to something that still is a duration.
func Parse(s string) (d time.Duration, ok bool) {
	n, inDays := strings.CutSuffix(s, "d")
	if !inDays {
		d, err := time.ParseDuration(s)
		return d, err == nil
	}
	days, err := strconv.ParseFloat(n, 64)
	if err != nil || days != days { // not a number
		return 0, false
	}
	return time.Duration(min(max(days, -1e5), 1e5) * float64(24*time.Hour)), true
}
