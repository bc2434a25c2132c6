package rawfile

import (
	"errors"
	"io/fs"
	"syscall"
)

// Staged is a whole, synced, private file that nobody can find yet.
type Staged struct {
	fd   int
	from string // a name that leads to it, for link(2)
	temp string // the same, where it had to have a name in a directory
}

// Stage writes a file into dir's file system and syncs it. Where that has
// files without names it has none: nothing has to be removed again, by us or by
// whoever comes after a kill. Elsewhere it bears the name that name returns.
func Stage(dir string, name func() string, body []byte) (*Staged, error) {
	s, err := unnamed(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		s, err = named(dir + "/" + name())
	}
	if err != nil {
		return nil, err
	}
	if err = write(s.fd, body); err == nil {
		err = sync(s.fd)
	}
	if err != nil {
		s.Drop()
		return nil, &fs.PathError{Op: "write", Path: dir, Err: err}
	}
	return s, nil
}

func named(path string) (*Staged, error) {
	fd, err := open(path, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	return &Staged{fd: fd, from: path, temp: path}, err
}

// Link gives the file a name. It fails with fs.ErrExist if there is one.
func (s *Staged) Link(path string) error {
	if err := link(s.from, path); err != nil {
		return &fs.PathError{Op: "link", Path: path, Err: err}
	}
	return nil
}

// Drop lets go of the file, which is gone then unless it was linked. A name it
// leaves is harmless.
func (s *Staged) Drop() {
	if s == nil {
		return
	}
	if s.temp != "" {
		syscall.Unlink(s.temp)
	}
	syscall.Close(s.fd)
}

func write(fd int, body []byte) error {
	for len(body) > 0 {
		n, err := syscall.Write(fd, body)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		body = body[n:]
	}
	return nil
}
