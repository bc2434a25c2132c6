//go:build !race

package cli

const crowdSize = 10_000
