//go:build !failpoint

// Package failpoint names the instants at which the crash tests kill us.
// Without the build tag "failpoint" every call compiles to nothing.
package failpoint

// Hit marks an instant. Name is constant or made of constants, so that the
// crash matrix can enumerate what it reached.
func Hit(string) {}
