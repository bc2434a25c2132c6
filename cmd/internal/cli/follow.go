package cli

import (
	"context"
	"io"
	"os"

	"github.com/agent-runs/agent-runs/ipc"
	"github.com/agent-runs/agent-runs/journal"
	"github.com/agent-runs/agent-runs/supervisor"
)

// Stream copies a run's output file to a writer as it grows.
type Stream struct {
	Name string
	To   io.Writer
	f    *os.File
}

// Copy writes what is new. Without the file there is nothing new yet.
func (s *Stream) Copy(h journal.Home, id string) error {
	if s.f == nil {
		f, err := os.Open(h.File(id, s.Name))
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			return err
		}
		s.f = f
	}
	_, err := io.Copy(s.To, s.f)
	return err
}

// Seek sets where the next Copy begins.
func (s *Stream) Seek(h journal.Home, id string, offset int64) error {
	f, err := os.Open(h.File(id, s.Name))
	if err != nil {
		return err
	}
	s.f = f
	_, err = f.Seek(offset, io.SeekStart)
	return err
}

// Close releases the file.
func (s *Stream) Close() {
	if s.f != nil {
		s.f.Close()
	}
}

// Settled reports whether the run's result is there, readable or not.
func Settled(h journal.Home, id string) bool {
	_, err := os.Lstat(h.File(id, journal.ResultFile))
	return err == nil
}

// Awaiter waits for done in the named directories: supervisor.AwaitChange where
// the home must be supervised meanwhile, a plain ipc.AwaitChange elsewhere.
type Awaiter func(ctx context.Context, done func() (bool, error), dirs ...string) error

// PlainAwait waits without caring for the supervisor.
var PlainAwait Awaiter = ipc.AwaitChange

// Follow copies the streams until the run is settled and all is copied.
func Follow(ctx context.Context, await Awaiter, h journal.Home, id string, streams ...*Stream) error {
	return await(ctx, func() (bool, error) {
		over := Settled(h, id) // before the copy: what comes after it was written before
		for _, s := range streams {
			if err := s.Copy(h, id); err != nil {
				return false, err
			}
		}
		return over, nil
	}, h.Run(id))
}

// ReaderAwait is how commands that only look wait. They leave the supervisor
// alone while one is there, or was sent away by a person; where there is none
// that should be, nobody would settle what they wait for, so they see to it.
func ReaderAwait(h journal.Home) Awaiter {
	free, err := Unsupervised(h)
	if err != nil || !free {
		return PlainAwait
	}
	return func(ctx context.Context, done func() (bool, error), dirs ...string) error {
		return supervisor.AwaitChange(ctx, h, done, dirs...)
	}
}
