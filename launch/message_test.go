package launch

import (
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

func TestMessagesArriveAsTheyWereSent(t *testing.T) {
	at := time.Unix(1, 2).UTC()
	for _, a := range []Assignment{{RunID: "r"}, {RunID: "r", Admission: &journal.Admission{Version: 1, ID: "r", State: journal.Accepted, At: at}}} {
		body, err := a.encode()
		require.NoError(t, err)
		got, err := decodeAssignment(body)
		require.NoError(t, err)
		require.Equal(t, a, *got)
	}
	process := &journal.Process{Version: 1, ID: "r", PID: 7, StartedAt: at}
	for _, r := range []Report{{Process: process}, {Error: "one\ntwo"}, {Failed: true}, {Failed: true, Process: process}} {
		body, err := r.encode()
		require.NoError(t, err)
		got, err := decodeReport(body)
		require.NoError(t, err)
		require.Equal(t, r, got)
	}
	for _, strange := range []string{"", "runs", "other\n", "runs\n{"} {
		_, err := decodeReport([]byte(strange))
		require.Error(t, err, strange)
	}
	_, err := decodeAssignment([]byte("r"))
	require.Error(t, err)
}
