//go:build race

package cli

// crowdSize is smaller where everything takes ten times as long.
const crowdSize = 1_000
