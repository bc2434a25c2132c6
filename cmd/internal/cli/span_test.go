package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSpan(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"0s": 0, "0": 0, "90m": 90 * time.Minute, "1h30m": 90 * time.Minute, "1d": 24 * time.Hour, "0.5d": 12 * time.Hour, "30d": 720 * time.Hour, "-1s": -time.Second,
	} {
		d, err := Span("--grace", s)
		require.NoError(t, err, s)
		require.Equal(t, want, d, s)
	}
	for _, s := range []string{"", "d", "soon", "300y", "NaNd", "1e400h", "5"} {
		_, err := Span("--grace", s)
		require.Error(t, err, s)
	}
	for _, s := range []string{"-1d", "367d", "Infd", "99999h"} {
		_, err := SpanWithin("--grace", s, 0)
		require.ErrorContains(t, err, "out of range", s)
	}
}
