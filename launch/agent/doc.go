// Package agent is the contract between the supervisor and the coding agents
// it runs, and the fold that turns an agent's stream into a conversation.
//
// Everything here and in the packages below is pure: no file, no clock, no
// process. The same lines give the same state, so a supervisor that was
// killed reads what was heard and said, and stands where its predecessor did.
// All timing, I/O and persistence is the supervisor's.
//
// A new runtime is one package that implements Runtime and Talk, and one row
// in the table of package runtimes.
package agent
