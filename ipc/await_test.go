package ipc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/stretchr/testify/require"
)

// patience bounds every wait here; what is waited for takes milliseconds.
func patience(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func exists(path string) func() (bool, error) {
	return func() (bool, error) {
		_, err := os.Lstat(path)
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
}

// TestAwaitChangeMissesNothing lets the file come before, while and after the
// watch is put in place.
func TestAwaitChangeMissesNothing(t *testing.T) {
	dir := t.TempDir()
	for i := range 200 {
		path := filepath.Join(dir, fmt.Sprint(i))
		go func() {
			for end := time.Now().Add(time.Duration(i%20) * 20 * time.Microsecond); time.Now().Before(end); {
			}
			os.WriteFile(path, nil, 0o600)
		}()
		require.NoError(t, ipc.AwaitChange(patience(t), exists(path), dir))
	}
}

// TestAwaitChangeSeesEveryKind: growth, a new name, and a name that went.
func TestAwaitChangeSeesEveryKind(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"created": func(p string) error { return os.WriteFile(p+".new", nil, 0o600) },
		"grown": func(p string) error {
			f, err := os.OpenFile(p, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("more")
			return errors.Join(err, f.Close())
		},
		"linked":  func(p string) error { return os.Link(p, p+".new") },
		"renamed": func(p string) error { return os.Rename(p, p+".new") },
		"removed": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			require.NoError(t, os.WriteFile(path, nil, 0o600))
			asked := 0
			require.NoError(t, ipc.AwaitChange(patience(t), func() (bool, error) {
				asked++
				if asked == 2 { // the watch is in place
					require.NoError(t, change(path))
				}
				return asked == 3, nil
			}, filepath.Dir(path)))
		})
	}
}

func TestAwaitChangeIsNotWokenByTheUnpublished(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	asked := 0
	err := ipc.AwaitChange(ctx, func() (bool, error) {
		asked++
		if asked == 2 {
			for i := range 50 {
				require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf(".tmp-%d", i)), nil, 0o600))
			}
			time.AfterFunc(50*time.Millisecond, cancel)
		}
		return false, nil
	}, dir)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 2, asked)
}

func TestAwaitEndsWithItsContextAndErrors(t *testing.T) {
	no := func() (bool, error) { return false, nil }
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(5*time.Millisecond, cancel)
	require.ErrorIs(t, ipc.AwaitChange(ctx, no, t.TempDir()), context.Canceled)
	require.ErrorIs(t, ipc.AwaitRing(ctx, no), context.Canceled)

	broken := errors.New("broken")
	require.ErrorIs(t, ipc.AwaitChange(patience(t), func() (bool, error) { return false, broken }, t.TempDir()), broken)
	require.ErrorIs(t, ipc.AwaitRing(patience(t), func() (bool, error) { return false, broken }), broken)
	require.ErrorIs(t, ipc.AwaitChange(patience(t), no, "/nonexistent"), os.ErrNotExist)
}

// TestAwaitRing rings before, while and after the listener is there.
func TestAwaitRing(t *testing.T) {
	for i := range 200 {
		var there atomic.Bool
		rung := make(chan error, 1)
		go func() {
			for end := time.Now().Add(time.Duration(i%20) * 10 * time.Microsecond); time.Now().Before(end); {
			}
			there.Store(true) // the records first, the ring after them
			rung <- syscall.Kill(os.Getpid(), ipc.Ring)
		}()
		require.NoError(t, ipc.AwaitRing(patience(t), func() (bool, error) { return there.Load(), nil }))
		require.NoError(t, <-rung)
	}
}

// TestRingDoesNothingToWhoDoesNotListen: it is sent by identity, but a
// command that stopped waiting must not die of it.
func TestRingDoesNothingToWhoDoesNotListen(t *testing.T) {
	signal.Reset(ipc.Ring)
	require.NoError(t, syscall.Kill(os.Getpid(), ipc.Ring))
}
