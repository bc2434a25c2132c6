//go:build !race

package e2e_test

// raceDetector says whether this test was built with -race: then the commands
// are as well, and slower by about slowness.
const (
	raceDetector = false
	slowness     = 1
)
