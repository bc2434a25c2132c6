// Package nofile remembers the soft limit on open files that this process was
// started with. Package os raises it to the hard limit when it initialises
// (go.dev/issue/46279) and a child would inherit the raised one, which breaks
// programs that use select(2) or close every possible descriptor.
//
// It imports nothing but syscall: packages initialise in the order of their
// import paths as soon as their imports have (Go specification, Package
// initialization), so this one runs before os. A test holds that.
package nofile

import "syscall"

// AtStart is the limit as the caller had it. Cur 0: it could not be read.
var AtStart = read()

func read() (r syscall.Rlimit) {
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return syscall.Rlimit{}
	}
	return r
}
