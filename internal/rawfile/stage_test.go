package rawfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStagedUnderAName is for file systems without files that have none.
func TestStagedUnderAName(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	s, err := named(at("tmp"))
	require.NoError(t, err)
	require.NoError(t, write(s.fd, []byte("body")))
	require.NoError(t, s.Link(at("f")))
	require.ErrorIs(t, s.Link(at("f")), fs.ErrExist)
	s.Drop()
	require.NoFileExists(t, at("tmp"))
	body, err := os.ReadFile(at("f"))
	require.NoError(t, err)
	require.Equal(t, "body", string(body))
}
