package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// IsTerminal reports whether a person may be at the other end.
func IsTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	return err == nil
}
