package rawfile_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-runs/agent-runs/internal/rawfile"
	"github.com/stretchr/testify/require"
)

func TestReadGivesBackWhatCreateWrote(t *testing.T) {
	for _, n := range []int{0, 1, 1023, 1024, 1025, 70000} {
		path := filepath.Join(t.TempDir(), "f")
		body := bytes.Repeat([]byte("x"), n)
		require.NoError(t, rawfile.Create(path, body))
		got, err := rawfile.Read(path)
		require.NoError(t, err)
		require.Equal(t, string(body), string(got))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode())
		require.ErrorIs(t, rawfile.Create(path, body), fs.ErrExist)
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	_, err := rawfile.Read(missing)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, missing)
	require.ErrorContains(t, rawfile.SyncDir(missing), missing)
	require.NoError(t, rawfile.SyncDir(t.TempDir()))
}
