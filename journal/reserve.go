package journal

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// The reserve is a file that takes up room for the records of an order to
// stop. On a full disk whoever gives the order spends it: what fills the disk
// must not be what cannot be stopped. A supervisor makes it again.
const (
	reserveFile  = "reserve"
	reserveBytes = 256 << 10
)

// KeepReserve makes the reserve if it is not there. Without room for it there
// is none, which is nobody's error.
func KeepReserve(h Home) {
	path := filepath.Join(h.Dir, reserveFile)
	if info, err := os.Lstat(path); err == nil && info.Size() == reserveBytes {
		return
	}
	// Written and not only allocated: not every file system can do that.
	if err := os.WriteFile(path, make([]byte, reserveBytes), 0o600); err != nil {
		os.Remove(path)
	}
}

// SpendReserve reports whether err says that the disk is full and the reserve
// was given up for a second try.
func SpendReserve(h Home, err error) bool {
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	return full && os.Remove(filepath.Join(h.Dir, reserveFile)) == nil
}
