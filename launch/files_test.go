package launch

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"github.com/stretchr/testify/require"
)

func TestEnvFile(t *testing.T) {
	id, dir := journal.NewID(time.Now()), t.TempDir()
	env := []string{"A=1", "B=\xff\n=", "C=", "no equals sign"}
	path, err := WriteEnv(id, dir, env)
	require.NoError(t, err)
	defer os.Remove(path)
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	if runtime.GOOS == "linux" && len(memoryDirs()) > 0 {
		require.NotEqual(t, dir, filepath.Dir(path), "the values went to a disk")
	}
	got, err := ReadEnv(path)
	require.NoError(t, err)
	require.Equal(t, env, got)

	second, err := WriteEnv(id, dir, nil)
	require.NoError(t, err)
	defer os.Remove(second)
	require.NotEqual(t, path, second, "a file that was there was taken for ours")
	got, err = ReadEnv(second)
	require.NoError(t, err)
	require.Empty(t, got)
	require.Equal(t, []string{"A", "B", "C", "no equals sign"}, EnvNames(env))
}

// TestEnvFileOfAStranger: the directory may be writable by everybody.
func TestEnvFileOfAStranger(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	require.NoError(t, os.WriteFile(good, []byte("A=1"), 0o600))
	for name, spoil := range map[string]func(path string) error{
		"readable by others": func(p string) error { return os.WriteFile(p, []byte("A=1"), 0o644) },
		"a link":             func(p string) error { return os.Symlink(good, p) },
		"a directory":        func(p string) error { return os.Mkdir(p, 0o700) },
		"a fifo":             func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"missing":            func(string) error { return nil },
		"another's": func(p string) error {
			if os.Geteuid() != 0 {
				t.Log("NOT TESTED: a file of another user needs root to make it")
				return nil
			}
			if err := os.WriteFile(p, []byte("A=1"), 0o600); err != nil {
				return err
			}
			return os.Chown(p, 65534, 65534)
		},
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, spoil(path))
		_, err := ReadEnv(path)
		require.Error(t, err, name)
		require.False(t, strings.Contains(err.Error(), "A=1"))
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := TryLock(path)
	require.NoError(t, err)
	_, err = TryLock(path)
	require.ErrorIs(t, err, ErrLocked)
	got := make(chan *os.File)
	go func() {
		f, err := AwaitLock(path)
		if err != nil {
			t.Error(err)
		}
		got <- f
	}()
	// A second descriptor of the same open file keeps it.
	twin, err := syscall.Dup(int(first.Fd()))
	require.NoError(t, err)
	require.NoError(t, first.Close())
	_, err = TryLock(path)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, syscall.Close(twin))
	require.NoError(t, (<-got).Close())
	require.FileExists(t, path)

	held, err := Held(path)
	require.NoError(t, err)
	require.False(t, held)
	last, err := TryLock(path)
	require.NoError(t, err)
	held, err = Held(path)
	require.NoError(t, err)
	require.True(t, held)
	_, err = AwaitLockFor(path, time.Millisecond)
	require.ErrorIs(t, err, ErrLocked)
	go last.Close()
	f, err := AwaitLockFor(path, time.Minute)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	link := path + ".link"
	require.NoError(t, os.Symlink(path, link))
	_, err = TryLock(link)
	require.ErrorIs(t, err, syscall.ELOOP)
}

func TestLookPath(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"bin/tool": 0o700, "bin/plain": 0o600, "other/plain": 0o700, "other/secret": 0o600} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, mode))
	}
	env := []string{"PATH=/nonexistent", "PATH=" + filepath.Join(dir, "bin") + ":other::" + dir}
	for name, want := range map[string]string{
		"tool":       "bin/tool",
		"plain":      "other/plain", // what cannot be executed is passed over
		"./bin/tool": "bin/tool",
		"bin/tool":   "bin/tool",
	} {
		got, err := lookPath(name, dir, env)
		require.NoError(t, err, name)
		require.Equal(t, filepath.Join(dir, want), got)
	}
	_, err := lookPath("secret", dir, env)
	require.ErrorIs(t, err, os.ErrPermission)
	_, err = lookPath("nothing", dir, env)
	require.ErrorIs(t, err, errNoProgram)
	got, err := lookPath("sh", dir, nil)
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(got))
}
