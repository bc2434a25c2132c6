// Package nofile remembers the soft limit on open files that this process was
// started with. Package syscall raises it to the hard limit when it
// initialises (go.dev/issue/46279) and a child would inherit the raised one,
// which breaks programs that use select(2) or close every possible descriptor.
//
// It imports nothing, not even syscall: packages initialise in the order of
// their import paths as soon as their imports have (Go specification, Package
// initialization), so this one runs before syscall. A test holds that.
package nofile

// AtStart is the soft limit as the caller had it, 0 where that cannot be told.
var AtStart = read()
