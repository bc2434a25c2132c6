package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuildsWithoutVersion: what "go run" started has no version, and is not
// called another build for that.
func TestBuildsWithoutVersion(t *testing.T) {
	const one, two, none = "v0.0.0-20260301120000-98f4c2003f98", "v0.0.0-20260302120000-0123456789ab", "(devel)"
	for _, c := range []struct {
		theirs, ours string
		another      bool
		words        string
	}{
		{one, one, false, ""},
		{none, none, false, ""},
		{one, two, true, ""},
		{none, one, false, "of a build without a version"},
		{"unknown", one, false, "of a build without a version"},
		{one, none, false, "of " + one + "; this build has no version"},
	} {
		require.Equal(t, c.another, anotherBuild(c.theirs, c.ours), c)
		if words := unlikeness(c.theirs, c.ours); !c.another {
			require.Equal(t, c.words == "", words == "", c)
			require.Contains(t, words, c.words)
		}
	}
}
