package rawfile

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// sync asks the drive to empty its cache too, which fsync does not do on
// macOS; fsync is for file systems that do not know the request.
func sync(fd int) error {
	for {
		_, err := unix.FcntlInt(uintptr(fd), unix.F_FULLFSYNC, 0)
		if err == unix.ENOTSUP || err == unix.EINVAL {
			err = syscall.Fsync(fd)
		}
		if err != syscall.EINTR {
			return err
		}
	}
}
