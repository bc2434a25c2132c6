package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// MaxRecordBytes bounds what a reader takes from one record: the largest
// argument list Linux allows, twice over.
const MaxRecordBytes = 16 << 20

// ErrMissing reports that a record does not exist.
var ErrMissing = errors.New("record missing")

// DamagedError reports a record that is there but is not what was written.
type DamagedError struct {
	Path   string
	Reason string
}

func (e *DamagedError) Error() string { return fmt.Sprintf("%s is damaged: %s", e.Path, e.Reason) }

// NewerError reports a record of a version this program does not know.
type NewerError struct {
	Path    string
	Version int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has version %d, this program reads up to %d", e.Path, e.Version, Version)
}

// ourHead begins every record that this program wrote. One that begins
// otherwise is asked for its version before anything else in it is believed.
const ourHead = `{"version":1,`

// Read decodes the record at path into out. The error is ErrMissing,
// *DamagedError, *NewerError, or an I/O error with the path.
func Read(path string, out any) error {
	body, err := readRegular(path)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(body, []byte(ourHead)) {
		var head struct {
			Version int `json:"version"`
		}
		if err := json.Unmarshal(body, &head); err != nil {
			return &DamagedError{path, describe(body, err)}
		}
		if head.Version > Version {
			return &NewerError{path, head.Version}
		}
		if head.Version < 1 {
			return &DamagedError{path, "no version"}
		}
	}
	if err := Decode(body, out); err != nil {
		return &DamagedError{path, describe(body, err)}
	}
	return nil
}

// readRegular reads a regular file of bounded size, following no link. It
// goes past package os, whose files are made for waiting: a listing reads a
// hundred records.
func readRegular(path string) ([]byte, error) {
	fd, err := open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, ErrMissing)
	case errors.Is(err, syscall.ELOOP):
		return nil, &DamagedError{path, "it is a symbolic link"}
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, &DamagedError{path, "it is not a regular file"}
	}
	if st.Size > MaxRecordBytes {
		return nil, &DamagedError{path, fmt.Sprintf("%d bytes are more than a record can have", st.Size)}
	}
	body := make([]byte, st.Size)
	for read := 0; read < len(body); {
		n, err := syscall.Read(fd, body[read:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if n == 0 {
			return nil, &DamagedError{path, "it became shorter while it was read"}
		}
		read += n
	}
	return body, nil
}

// open does not wait, whatever is at path.
func open(path string) (fd int, err error) {
	for {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}

func describe(body []byte, err error) string {
	if len(body) == 0 {
		return "it is empty"
	}
	for _, c := range body {
		if c != 0 {
			return err.Error()
		}
	}
	return "it holds only NUL bytes"
}

// IsDamaged reports whether err says that a record is there but cannot be
// used, damaged or newer.
func IsDamaged(err error) bool {
	var d *DamagedError
	var n *NewerError
	return errors.As(err, &d) || errors.As(err, &n)
}
