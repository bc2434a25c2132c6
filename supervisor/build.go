package supervisor

import (
	"runtime/debug"
	"strings"
	"sync"
)

// unversioned is what the Go toolchain calls a program without a version: one
// that was started by "go run", or built from no repository.
const unversioned = "(devel)"

// Build names the program's version as the Go toolchain recorded it.
var Build = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && !strings.Contains(version, s.Value[:12]) {
			version += " " + s.Value[:12]
		}
	}
	return version
})

// Versioned reports whether the name of a build tells it from others.
func Versioned(build string) bool { return build != "" && build != unversioned && build != "unknown" }
