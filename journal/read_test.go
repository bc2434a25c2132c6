package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const (
	fine = iota
	missing
	damaged
	newer
)

// kind sorts an error of Read; the three must never be mixed up.
func kind(t *testing.T, err error) int {
	t.Helper()
	var d *journal.DamagedError
	var n *journal.NewerError
	switch {
	case err == nil:
		return fine
	case errors.Is(err, journal.ErrMissing):
		require.False(t, journal.IsDamaged(err))
		return missing
	case errors.As(err, &d):
		require.True(t, journal.IsDamaged(err))
		return damaged
	case errors.As(err, &n):
		require.True(t, journal.IsDamaged(err))
		return newer
	}
	t.Fatalf("Read gave an error of no kind: %v", err)
	return 0
}

func TestReadTellsDamageApart(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join(goldenDir, "stop.json"))
	require.NoError(t, err)
	put := func(b []byte) func(string) error { return func(p string) error { return os.WriteFile(p, b, 0o600) } }
	for name, c := range map[string]struct {
		make func(path string) error
		want int
		says string
	}{
		"whole":                {put(whole), fine, ""},
		"unknown field":        {put([]byte(`{"version":1,"id":"x","later":{"a":[1]}}`)), fine, ""},
		"missing":              {func(string) error { return nil }, missing, "record missing"},
		"missing directory":    {func(p string) error { return os.Remove(filepath.Dir(p)) }, missing, "record missing"},
		"empty":                {put(nil), damaged, "it is empty"},
		"NULs":                 {put(make([]byte, len(whole))), damaged, "only NUL bytes"},
		"NUL tail":             {put(append(bytes.Clone(whole[:40]), make([]byte, 40)...)), damaged, "damaged"},
		"NUL after":            {put(append(bytes.Clone(whole), 0)), damaged, "damaged"},
		"two records":          {put(append(bytes.Clone(whole), whole...)), damaged, "damaged"},
		"an array":             {put([]byte(`[1]`)), damaged, "damaged"},
		"null":                 {put([]byte(`null`)), damaged, "no version"},
		"no version":           {put([]byte(`{"id":"x"}`)), damaged, "no version"},
		"version 0":            {put([]byte(`{"version":0}`)), damaged, "no version"},
		"version -1":           {put([]byte(`{"version":-1}`)), damaged, "no version"},
		"version as text":      {put([]byte(`{"version":"1"}`)), damaged, "damaged"},
		"a field of a kind":    {put([]byte(`{"version":1,"graceMs":"soon"}`)), damaged, "damaged"},
		"newer":                {put([]byte(`{"version":2}`)), newer, "version 2"},
		"newer and unreadable": {put([]byte(`{"version":3,"graceMs":"soon"}`)), newer, "version 3"},
		"symlink to a whole one": {func(p string) error {
			if err := os.WriteFile(p+".real", whole, 0o600); err != nil {
				return err
			}
			return os.Symlink(p+".real", p)
		}, damaged, "symbolic link"},
		"dangling symlink": {func(p string) error { return os.Symlink("/nonexistent", p) }, damaged, "symbolic link"},
		"directory":        {func(p string) error { return os.Mkdir(p, 0o700) }, damaged, "not a regular file"},
		"fifo":             {func(p string) error { return unix.Mkfifo(p, 0o600) }, damaged, "not a regular file"},
		"huge": {func(p string) error {
			if err := os.WriteFile(p, whole, 0o600); err != nil {
				return err
			}
			return os.Truncate(p, journal.MaxRecordBytes+1)
		}, damaged, "more than a record can have"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "in", "stop.json")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			require.NoError(t, c.make(path))
			var s journal.Stop
			err := journal.Read(path, &s)
			require.Equal(t, c.want, kind(t, err), "%v", err)
			if c.want != fine {
				require.ErrorContains(t, err, c.says)
				require.ErrorContains(t, err, path)
			}
		})
	}
}

// TestEveryPrefixIsDamaged cuts each golden record at every byte: a torn
// record must never pass for a whole one.
func TestEveryPrefixIsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	for name := range samples() {
		body, err := os.ReadFile(filepath.Join(goldenDir, name+".json"))
		require.NoError(t, err)
		for n := range len(body) - 1 { // without the newline alone it is whole
			require.NoError(t, os.WriteFile(path, body[:n], 0o600))
			var out map[string]any
			require.Equal(t, damaged, kind(t, journal.Read(path, &out)), "%s cut at %d", name, n)
		}
	}
}

func TestLoadRunShowsDamageAndGoesOn(t *testing.T) {
	h, err := journal.OpenHome(filepath.Join(t.TempDir(), "home"))
	require.NoError(t, err)
	id := "01KJMDZM00VN4DMTDYQKWM3A7Z"
	_, err = journal.LoadRun(h, id)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.WriteFile(h.Run(id), nil, 0o600))
	_, err = journal.LoadRun(h, id)
	require.True(t, journal.IsDamaged(err))
	require.NoError(t, os.Remove(h.Run(id)))
	require.NoError(t, os.Mkdir(h.Run(id), 0o700))

	for name, file := range map[string]string{"launch": journal.LaunchFile, "process": journal.ProcessFile, "exit-code": journal.ExitFile} {
		body, err := os.ReadFile(filepath.Join(goldenDir, name+".json"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(h.File(id, file), body, 0o600))
	}
	require.NoError(t, os.WriteFile(h.File(id, journal.ResultFile), nil, 0o600))
	other, err := json.Marshal(journal.Stop{Version: 1, ID: "01KJMDZM00AAAAAAAAAAAAAAAA"})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(h.File(id, journal.StopFile), other, 0o600))

	r, err := journal.LoadRun(h, id)
	require.NoError(t, err)
	require.NotNil(t, r.Launch)
	require.NotNil(t, r.Process)
	require.NotNil(t, r.Exit)
	require.Nil(t, r.Result)
	require.Nil(t, r.Stop, "a record that bears another id is not this run's")
	require.Len(t, r.Damaged, 2)
	require.True(t, r.Terminal(), "a damaged result was written once and ends the run")
}
