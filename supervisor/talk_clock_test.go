package supervisor

import (
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/launch"
	"github.com/stretchr/testify/require"
)

// TestQuietFor: neither sleep nor a clock that was set makes an agent look
// quiet for longer than it can have been.
func TestQuietFor(t *testing.T) {
	const m, day = time.Minute, 24 * time.Hour
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		now, last time.Duration // by the time of day, since the start
		age       launch.Age
		want      time.Duration
	}{
		"nothing happened to the clock": {9 * m, 5 * m, launch.Age{Awake: 9 * m}, 4 * m},
		"nothing said yet":              {9 * m, -time.Second, launch.Age{Awake: 9 * m}, 9 * m},
		"suspended since":               {9*m + day, 5 * m, launch.Age{Awake: 9 * m, Asleep: day}, 4 * m},
		"suspended before it":           {9*m + day, 5*m + day, launch.Age{Awake: 9 * m, Asleep: day}, 0},
		"set forward since":             {9*m + day, 5 * m, launch.Age{Awake: 9 * m}, 4 * m},
		"set forward before it":         {9*m + day, 5*m + day, launch.Age{Awake: 9 * m}, 0},
		"set back since":                {9*m - day, 5 * m, launch.Age{Awake: 9 * m}, 0},
		"set back before it":            {9*m - day, 5*m - day, launch.Age{Awake: 9 * m}, 4 * m},
		"a year behind all the time":    {9 * m, 5*m - 365*day, launch.Age{Awake: 9 * m}, 9 * m},
	} {
		require.Equal(t, c.want, quietFor(start.Add(c.now), start, start.Add(c.last), c.age), name)
	}
}
