package cli

import (
	"strconv"
	"strings"
	"time"
)

// Span reads a duration as all our flags accept it: as Go does, or in days.
// Absurdly long ones are cut to something that still is a duration.
func Span(field, s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if n, ok := strings.CutSuffix(s, "d"); ok {
		var days float64
		days, err = strconv.ParseFloat(n, 64)
		d = time.Duration(min(max(days, -1e5), 1e5) * float64(24*time.Hour))
		if days != days { // not a number
			return 0, noSpan(field, s)
		}
	}
	if err != nil {
		return 0, noSpan(field, s)
	}
	return d, nil
}

func noSpan(field, s string) *Error {
	return Fail(Usage, "%s %q is no duration; 500ms, 90m, 12h and 30d are", field, s)
}

// SpanWithin is Span for durations that are limits: not below least, and no
// longer than anybody means.
func SpanWithin(field, s string, least time.Duration) (time.Duration, error) {
	d, err := Span(field, s)
	if err == nil {
		err = CheckSpan(field, d, least)
	}
	return d, err
}
