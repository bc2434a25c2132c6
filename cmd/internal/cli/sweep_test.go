package cli

import (
	"os"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

func TestSweep(t *testing.T) {
	m := makeHome(t)
	kept := m.run(fate{owner: "ann", status: journal.StatusCompleted})
	litter := m.run(fate{bare: true})
	answer := func(at time.Time) string {
		id := journal.NewID(at)
		m.write(m.home.Admission(id), journal.Admission{Version: 1, ID: id, Action: journal.ActionStop, RunID: kept, State: journal.Accepted, At: at})
		return id
	}
	old, open, young := answer(m.now), answer(m.now), answer(time.Now())
	m.write(m.home.Command(open), journal.Command{Version: 1, ID: open})
	fresh := journal.NewID(time.Now())
	require.NoError(t, os.Mkdir(m.home.Run(fresh), 0o700))

	require.NoError(t, Sweep(m.home, time.Now()))
	require.ElementsMatch(t, []string{kept, fresh}, m.names(m.home.Runs()))
	require.ElementsMatch(t, []string{kept + ".json", open + ".json", young + ".json"}, m.names(m.home.Admissions()))
	require.NoDirExists(t, m.home.Run(litter))
	require.NoFileExists(t, m.home.Admission(old))
	require.NoError(t, Sweep(journal.Home{Dir: m.home.Dir + "-none"}, time.Now()))
}
