package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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

// Read decodes the record at path into out. The error is ErrMissing,
// *DamagedError, *NewerError, or an I/O error with the path.
func Read(path string, out any) error {
	body, err := readRegular(path)
	if err != nil {
		return err
	}
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
	if err := json.Unmarshal(body, out); err != nil {
		return &DamagedError{path, describe(body, err)}
	}
	return nil
}

// readRegular reads a regular file of bounded size, following no link.
func readRegular(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, ErrMissing)
	case errors.Is(err, syscall.ELOOP):
		return nil, &DamagedError{path, "it is a symbolic link"}
	case err != nil:
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &DamagedError{path, "it is not a regular file"}
	}
	if info.Size() > MaxRecordBytes {
		return nil, &DamagedError{path, fmt.Sprintf("%d bytes are more than a record can have", info.Size())}
	}
	body := make([]byte, info.Size())
	if _, err := io.ReadFull(f, body); err != nil {
		return nil, &DamagedError{path, err.Error()}
	}
	return body, nil
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
