package cli

import (
	"context"
	"errors"
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

// Settled reports whether the run's verdict is there. One that cannot be read
// counts as soon as nobody is at work on the run any more.
func Settled(h journal.Home, id string) bool {
	_, err := journal.ReadResult(h, id)
	return err == nil || !errors.Is(err, journal.ErrMissing) && !atWork(h, id)
}

// Awaiter waits for done in the named directories: supervisor.AwaitChange where
// the home must be supervised meanwhile, a plain ipc.AwaitChange elsewhere.
type Awaiter func(ctx context.Context, done func() (bool, error), dirs ...string) error

// PlainAwait waits without caring for the supervisor.
var PlainAwait Awaiter = ipc.AwaitChange

// Ended is Settled for those who wait for it. An exit that nobody turned into
// a result yet brings a supervisor back where there is none: a person may
// have sent it away.
func Ended(h journal.Home, id string) (bool, error) {
	if Settled(h, id) {
		return true, nil
	}
	if Exited(h, id) {
		return false, supervisor.Ensure(h)
	}
	return false, nil
}

// Exited reports whether the run's exit record is there. It is written last:
// nothing of the run prints anything afterwards.
func Exited(h journal.Home, id string) bool {
	_, err := journal.ReadExit(h, id)
	return err == nil
}

// Follow copies the streams until the run is settled and all is copied.
func Follow(ctx context.Context, await Awaiter, h journal.Home, id string, streams ...*Stream) error {
	return FollowUntil(ctx, await, Ended, h, id, streams...)
}

// FollowUntil is Follow until over says so.
func FollowUntil(ctx context.Context, await Awaiter, over func(journal.Home, string) (bool, error), h journal.Home, id string, streams ...*Stream) error {
	err := AwaitRuns(ctx, await, h, func() (bool, error) {
		end, err := over(h, id) // before the copy: what comes after it was written before
		for _, s := range streams {
			if err == nil {
				err = s.Copy(h, id)
			}
		}
		if !end && err == nil {
			err = removed(h, id)
		}
		return end, err
	}, id)
	if errors.Is(err, os.ErrNotExist) { // gone before it could be watched
		if gone := removed(h, id); gone != nil {
			return gone
		}
	}
	return err
}

// removed is an error where the run's records are gone, and with them whatever
// could be waited for: somebody deleted them by hand, maybe the run itself. Its
// directory may be there a moment longer, and nobody tells when it goes.
func removed(h journal.Home, id string) error {
	for _, file := range []string{journal.LaunchFile, journal.LockFile} {
		if _, err := os.Lstat(h.File(id, file)); !os.IsNotExist(err) {
			return nil
		}
	}
	return Fail(NotFound, "run %s was removed meanwhile", id)
}

// Attended is how commands wait that want an end: in a home that is supervised
// when they begin.
func Attended(h journal.Home) Awaiter {
	return func(ctx context.Context, done func() (bool, error), dirs ...string) error {
		return supervisor.AwaitChange(ctx, h, done, dirs...)
	}
}

// ReaderAwait is how commands that only look wait: they bring back a supervisor
// that died, but not one that was sent away.
func ReaderAwait(h journal.Home) Awaiter {
	if supervisor.SentAway(h) {
		return PlainAwait
	}
	return Attended(h)
}
