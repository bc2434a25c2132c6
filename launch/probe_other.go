//go:build !linux

package launch

import "errors"

// Probe says what cannot be had here.
func Probe() []Feature {
	none := errors.New("this system has none")
	return []Feature{
		{Name: "subreaper", Err: none, Without: "the tree of a run is always called unproven"},
		{Name: "cgroup", Err: none, Without: "the tree of a run is always called unproven"},
	}
}
