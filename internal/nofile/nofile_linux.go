//go:build linux && (amd64 || arm64)

package nofile

const limitNofile = 7 // RLIMIT_NOFILE

// getrlimit is getrlimit(2), in assembly because we may import nothing.
func getrlimit(resource uintptr, limit *[2]uint64) (errno uintptr)

func read() uint64 {
	var limit [2]uint64 // soft, hard
	if getrlimit(limitNofile, &limit) != 0 {
		return 0
	}
	return limit[0]
}
