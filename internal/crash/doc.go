// Package crash holds the tests that kill the parts. It has no code of its
// own to import: package check is the judge, testdata/child the witness, and
// the rest is what happens to them.
//
//	go test ./internal/crash                    races, floods, damage, full disks
//	go test -tags failpoint ./internal/crash    the crash matrix as well
package crash
