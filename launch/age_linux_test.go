package launch

import (
	"os"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

func TestAgeLeavesOutSleep(t *testing.T) {
	const s, day = time.Second, 24 * time.Hour
	for name, c := range map[string]struct {
		startTicks uint64
		asleepMS   int64 // when it was started
		now        uptime
		want       Age
	}{
		"never suspended":              {99, 0, uptime{60 * s, 0}, Age{Awake: 59 * s}},
		"suspended before it":          {99, 5000, uptime{60 * s, 5 * s}, Age{Awake: 59 * s}},
		"suspended since":              {99, 0, uptime{day, day - 10*s}, Age{Awake: 9 * s, Asleep: day - 10*s}},
		"suspended before and since":   {99, 5000, uptime{60 * s, 15 * s}, Age{Awake: 49 * s, Asleep: 10 * s}},
		"in the tick it started in":    {100, 0, uptime{s, 0}, Age{}},
		"started by an older program":  {99, 0, uptime{10 * s, 20 * s}, Age{Asleep: 9 * s}},
		"clocks of another name space": {99, -5000, uptime{60 * s, -4 * s}, Age{Awake: 58 * s, Asleep: s}},
	} {
		p := &journal.Process{Identity: journal.Identity{StartTicks: c.startTicks}, AsleepMS: c.asleepMS}
		require.Equal(t, c.want, c.now.age(p), name)
	}
}

// TestAgeOfThisProcess compares with another way to tell, and shows that the
// time of day has no part in it: the record's is a day off either way.
func TestAgeOfThisProcess(t *testing.T) {
	id, err := IdentityOf(os.Getpid())
	require.NoError(t, err)
	asleep, err := asleepMS()
	require.NoError(t, err)
	first := time.Duration(0)
	for _, wrong := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		age, err := AgeOf(&journal.Process{Identity: id, AsleepMS: asleep, StartedAt: time.Now().Add(wrong)})
		require.NoError(t, err)
		require.GreaterOrEqual(t, age.Awake, first)
		require.Less(t, age.Awake, 10*time.Minute)
		require.Less(t, age.Asleep, 10*time.Millisecond)
		first = age.Awake
	}
	id.BootID = "another"
	_, err = AgeOf(&journal.Process{Identity: id})
	require.ErrorIs(t, err, ErrGone)
}
