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

func name() string { return "tmp" }

func TestReadGivesBackWhatWasStaged(t *testing.T) {
	for _, n := range []int{0, 1, 1023, 1024, 1025, 70000} {
		dir := t.TempDir()
		path := filepath.Join(dir, "f")
		body := bytes.Repeat([]byte("x"), n)
		s, err := rawfile.Stage(dir, name, body)
		require.NoError(t, err)
		require.NoFileExists(t, path)
		require.NoError(t, s.Link(path))
		require.ErrorIs(t, s.Link(path), fs.ErrExist)
		require.NoError(t, s.Link(path+"2"))
		s.Drop()
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 2)
		got, err := rawfile.Read(path)
		require.NoError(t, err)
		require.Equal(t, string(body), string(got))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode())
	}
}

func TestErrorsNameTheFile(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	_, err := rawfile.Read(missing)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, missing)
	require.ErrorContains(t, rawfile.SyncDir(missing), missing)
	_, err = rawfile.Stage(missing, name, nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, missing)
	s, err := rawfile.Stage(t.TempDir(), name, nil)
	require.NoError(t, err)
	defer s.Drop()
	require.ErrorIs(t, s.Link(filepath.Join(missing, "f")), fs.ErrNotExist)
	require.NoError(t, rawfile.SyncDir(t.TempDir()))
}
