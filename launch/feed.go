package launch

import (
	"errors"
	"io"
	"os"
)

// Feed moves what was said to an agent from a file into the agent's stdin. How
// far it came is the reading position of an open file that the run's shim
// holds as well and that the kernel moves together with the bytes: a
// supervisor that is killed in mid-message leaves it exact, and the next one
// goes on at the next byte.
//
// Where that descriptor cannot be had (the shim is dead, the system is not
// Linux) the position is only ours: Shared is false, and a new supervisor
// does not know how far its predecessor came.
type Feed struct {
	Shared bool
	file   *os.File
}

// Position is how many bytes were moved.
func (f *Feed) Position() (int64, error) { return f.file.Seek(0, io.SeekCurrent) }

// Skip sets the position, where nobody else knows it.
func (f *Feed) Skip(to int64) error {
	_, err := f.file.Seek(to, io.SeekStart)
	return err
}

// Close lets go of the file.
func (f *Feed) Close() error { return f.file.Close() }

// ErrFeedShort is a message that is listed and not in the file.
var ErrFeedShort = errors.New("what was to be said is not in its file")
