// Package rawfile reads and writes small files with no more system calls than
// it takes. Files of package os are made for waiting: each costs six calls to
// offer it to the poller, which a regular file refuses. A launch touches
// about seventy files.
package rawfile

import (
	"io/fs"
	"syscall"

	_ "github.com/agent-runs/agent-runs/internal/platform" // only systems that can keep the promises
)

// Read returns everything a small file holds. Its size is not asked for: the
// files of /proc say 0.
func Read(path string) ([]byte, error) {
	fd, err := open(path, syscall.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	body := make([]byte, 0, 1024)
	for {
		n, err := syscall.Read(fd, body[len(body):cap(body)])
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		case n == 0:
			return body, nil
		default:
			body = body[:len(body)+n]
			if len(body) == cap(body) {
				body = append(body, 0)[:len(body)]
			}
		}
	}
}

// SyncDir makes the names in a directory durable.
func SyncDir(path string) error {
	fd, err := open(path, syscall.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	if err := sync(fd); err != nil {
		return &fs.PathError{Op: "sync", Path: path, Err: err}
	}
	return nil
}

func open(path string, flags int, mode uint32) (fd int, err error) {
	for {
		if fd, err = syscall.Open(path, flags|syscall.O_CLOEXEC, mode); err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return fd, nil
}
