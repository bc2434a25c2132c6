package runs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// overhead is what a run costs before the agent begins to start, without a supervisor and with one, and how long the
// agent takes then. All are medians.
type overhead struct{ cold, warm, its time.Duration }

func share(ours, its time.Duration) float64 { return 100 * float64(ours) / float64(its) }

// The bounds: most percent of the agent's own start where there is a supervisor, or little. Codex starts in 80 ms,
// and 5 % of that is less than we need.
const (
	most   = 5
	little = 25 * time.Millisecond
)

// measured is how many runs of each kind are timed.
const measured = 5

// measure times runs in homes where no supervisor was yet and then runs in one where there is one. The first run of
// all is not counted: agents set their home up in it.
func measure(t *testing.T, a *installed) (o overhead) {
	var cold, warm, its []time.Duration
	for n := range 1 + measured {
		if ours, own := start(a.scene(t)); n > 0 {
			cold, its = append(cold, ours), append(its, own)
		}
	}
	s := a.scene(t)
	s.linger = "1m"
	for n := range 1 + measured {
		if ours, own := start(s); n > 0 {
			warm, its = append(warm, ours), append(its, own)
		}
	}
	o = overhead{median(cold), median(warm), median(its)}
	t.Logf("%s: ours %v = %.1f %% in a new home %v, then %v = %.1f %% %v; %v until it takes a prompt %v", a.name,
		o.cold, share(o.cold, o.its), cold, o.warm, share(o.warm, o.its), warm, o.its, its)
	require.True(t, share(o.warm, o.its) < most || o.warm < little)
	return o
}

// start is the time from the call of delegate to the agent's process, and from there to where it takes a prompt.
func start(s *scene) (ours, its time.Duration) {
	called := time.Now()
	v := s.completes(s.delegate("be quick [[say:here]]"))
	first := s.said(v.ID, "prompt")
	require.Len(s, first, 1)
	return v.Process.StartedAt.Sub(called), first[0].Time.Sub(v.Process.StartedAt)
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
}
