//go:build failpoint

package crash

// buildFlags build the programs under test as this test is built.
var buildFlags = []string{"-tags", "failpoint"}
