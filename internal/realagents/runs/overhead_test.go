package runs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// overhead is what a run costs before the agent begins to start, and how long the agent takes then: the medians of
// several runs in homes where no supervisor was yet.
type overhead struct{ ours, its time.Duration }

func (o overhead) share() float64 { return 100 * float64(o.ours) / float64(o.its) }

// most is what may be ours, in percent of the agent's own start.
const most = 5

// measure takes the time from the call of delegate to the agent's process, and from there to where it takes a prompt.
// The first run is not counted: agents set their home up in it.
func measure(t *testing.T, a *installed) overhead {
	var ours, its []time.Duration
	for n := range 6 {
		s := a.scene(t)
		called := time.Now()
		v := s.completes(s.delegate("be quick [[say:here]]"))
		first := s.said(v.ID, "prompt")
		require.Len(t, first, 1)
		if n > 0 {
			ours = append(ours, v.Process.StartedAt.Sub(called))
			its = append(its, first[0].Time.Sub(v.Process.StartedAt))
		}
	}
	o := overhead{median(ours), median(its)}
	t.Logf("%s: %v of ours, then %v until it takes a prompt: %.1f %% (%v, %v)", a.name, o.ours, o.its, o.share(), ours, its)
	require.Less(t, o.share(), float64(most))
	return o
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
}
