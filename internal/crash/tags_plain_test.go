//go:build linux && !failpoint

package crash

// withFailpoints builds the programs under test as this test is built.
const withFailpoints = false
