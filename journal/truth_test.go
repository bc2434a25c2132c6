package journal_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

// TestTruthCountsMoreThanWhatCannotBeRead: who saw the end writes it, and what
// lay in its place is kept. What can be read is never replaced.
func TestTruthCountsMoreThanWhatCannotBeRead(t *testing.T) {
	h := journal.Home{Dir: t.TempDir()}
	const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	require.NoError(t, os.MkdirAll(h.Run(id), 0o700))
	path := h.File(id, journal.ExitFile)
	code := 3
	truth := journal.Exit{Version: journal.Version, ID: id, Code: &code}
	for name, plant := range map[string]func() error{
		"nothing":   func() error { return nil },
		"truncated": func() error { return os.WriteFile(path, []byte(`{"version":1,`), 0o600) },
		"another's": func() error { return os.WriteFile(path, []byte(`{"version":1,"id":"other"}`), 0o600) },
		"mistyped":  func() error { return os.WriteFile(path, []byte(`{"version":1,"id":"`+id+`","code":"x"}`), 0o600) },
		"directory": func() error { return os.Mkdir(path, 0o700) },
		"link":      func() error { return os.Symlink("nowhere", path) },
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, plant())
			require.NoError(t, journal.WriteExit(h, &truth))
			e, err := journal.ReadExit(h, id)
			require.NoError(t, err)
			require.Equal(t, 3, *e.Code)
			kept, err := filepath.Glob(path + ".damaged-*")
			require.NoError(t, err)
			if name != "nothing" {
				require.Len(t, kept, 1)
				require.NoError(t, os.Remove(kept[0]))
			}
			require.ErrorIs(t, journal.WriteExit(h, &truth), journal.ErrExists)
			require.NoError(t, os.Remove(path))
		})
	}
}
