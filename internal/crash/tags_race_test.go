//go:build linux && race

package crash

// withRace builds the programs under test as this test is built.
const withRace = true
