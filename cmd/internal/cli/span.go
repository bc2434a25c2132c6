package cli

import (
	"time"

	"github.com/agent-runs/agent-runs/internal/span"
)

// Span reads a duration as all our flags accept it: as Go does, or in days.
// Absurdly long ones are cut to something that still is a duration.
func Span(field, s string) (time.Duration, error) {
	d, ok := span.Parse(s)
	if !ok {
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
