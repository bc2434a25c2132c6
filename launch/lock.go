package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// ErrLocked reports that another process holds the lock.
var ErrLocked = errors.New("locked by another process")

// TryLock takes the lock at path without waiting, or returns ErrLocked. The
// lock belongs to the open file: it lasts until every descriptor that was
// inherited or passed on is closed, whoever dies. The file is never deleted.
func TryLock(path string) (*os.File, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	if err := flock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrLocked
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Held reports whether somebody holds the lock at path. It makes no file, and
// what it takes to find out is let go at once.
func Held(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = flock(f, unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// OwnLock returns nil if f holds its lock when it returns, taking it where
// nobody does, or ErrLocked. Only the open file itself can be asked: a second
// one would see that somebody holds the lock, and not who.
func OwnLock(f *os.File) error {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = ErrLocked
	}
	return err
}

// AwaitLock takes the lock at path, however long it takes.
func AwaitLock(path string) (*os.File, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	if err := flock(f, unix.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// AwaitLockFor is AwaitLock that gives up after d with ErrLocked.
func AwaitLockFor(path string, d time.Duration) (*os.File, error) {
	type answer struct {
		lock *os.File
		err  error
	}
	got := make(chan answer)
	late := make(chan struct{})
	go func() {
		lock, err := AwaitLock(path)
		select {
		case got <- answer{lock, err}:
		case <-late:
			if err == nil {
				lock.Close()
			}
		}
	}()
	select {
	case a := <-got:
		return a.lock, a.err
	case <-time.After(d):
		close(late)
		return nil, fmt.Errorf("%s: %w", path, ErrLocked)
	}
}

func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
