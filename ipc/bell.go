package ipc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-runs/agent-runs/journal"
	"golang.org/x/sys/unix"
)

// A bell is a fifo that a waiting command hangs into a run's directory. The
// supervisor rings every bell there when something about the run was decided
// or recorded. It costs a write; a watch with inotify would cost the waiting
// command 5 to 20 ms when it exits, because the kernel lets an inotify
// instance go only after a grace period (fsnotify_destroy_group).
const bellPrefix = "bell-"

// Bell wakes one waiting command.
type Bell struct {
	path string
	f    *os.File
}

// Hang hangs a new bell into dir.
func Hang(dir, id string) (*Bell, error) {
	path := filepath.Join(dir, bellPrefix+id)
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	// For both: with no writer about, a reader alone would read the end.
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		os.Remove(path)
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return &Bell{path, os.NewFile(uintptr(fd), path)}, nil
}

// Heard returns when the bell was rung since the last time, or with an error
// when it was taken down.
func (b *Bell) Heard() error {
	var rings [64]byte
	_, err := b.f.Read(rings[:])
	return err
}

// TakeDown removes the bell.
func (b *Bell) TakeDown() {
	os.Remove(b.path)
	b.f.Close()
}

// Ring rings every bell in dir and takes down those whose listener died.
func Ring(dir string) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, n := range names {
		if strings.HasPrefix(n, bellPrefix) {
			ring(filepath.Join(dir, n))
		}
	}
}

func ring(path string) {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if errors.Is(err, unix.ENXIO) {
		os.Remove(path)
	}
	if err != nil {
		return
	}
	defer unix.Close(fd)
	// A full fifo has been rung often enough. The descriptor is that of a
	// fifo only if nobody put something else there.
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO {
		unix.Write(fd, []byte{1})
	}
}

// AwaitRing returns when done reports true. done is asked once after the
// bells hang, so that nothing can slip between, and after every ring.
func AwaitRing(ctx context.Context, done func() (bool, error), dirs ...string) error {
	if ok, err := done(); ok || err != nil {
		return err
	}
	heard, down, err := hangAll(dirs)
	defer down()
	if err != nil {
		return err
	}
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-heard:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func hangAll(dirs []string) (heard chan struct{}, down func(), err error) {
	heard = make(chan struct{}, 1)
	var bells []*Bell
	down = func() {
		for _, b := range bells {
			b.TakeDown()
		}
	}
	id := journal.NewID(time.Now())
	for _, dir := range dirs {
		b, err := Hang(dir, id)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed meanwhile: done will say so
		}
		if err != nil {
			return nil, down, err
		}
		bells = append(bells, b)
		go func() {
			for b.Heard() == nil {
				select {
				case heard <- struct{}{}:
				default:
				}
			}
		}()
	}
	return heard, down, nil
}
