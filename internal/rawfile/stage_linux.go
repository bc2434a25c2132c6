package rawfile

import (
	"errors"
	"fmt"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// unnamed opens a file that is in no directory, or says that dir's file system
// has none (NFS, some FUSE, ZFS).
func unnamed(dir string) (*Staged, error) {
	fd, err := open(dir, syscall.O_WRONLY|unix.O_TMPFILE, 0o600)
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.EINVAL) {
		return nil, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return &Staged{fd: fd, from: "/proc/self/fd/" + strconv.Itoa(fd)}, err
}

// link follows from where it is the entry of a descriptor. A staged file's own
// name is no symbolic link.
func link(from, to string) error {
	return unix.Linkat(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.AT_SYMLINK_FOLLOW)
}
