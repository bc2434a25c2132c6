// Package supervisor admits commands, starts runs, ends them and settles
// them. There is one supervisor per home; its lock says so.
//
// What it promises: it may be killed at any instruction. All it knows is in
// the journal, and Recover is the ordinary way to begin. One command has one
// answer; an order that ends a run is recorded before the first signal; a
// result is written only from what was observed.
//
// What it cannot: stop what left the tree of the run (see package launch).
//
// A run is owned by one goroutine, whose behaviour is the table in table.go.
package supervisor
