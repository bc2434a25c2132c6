// Package e2e drives the real commands as a person would: the scripts in
// testdata/scripts run delegate and agent-runs against the programme of bad
// habits in testdata/zoo and read as documentation of what happens then.
//
// What a script left behind is judged from outside, by reading /proc and the
// files of its home and by nothing of ours (see outside_test.go).
package e2e
