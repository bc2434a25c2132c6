// Package settings holds what a person sets once instead of with every call:
// how many agents are at work at once, which runtime is meant, what limits a
// run has by default and which it can never exceed.
//
// Four layers say it, each over the one before: the defaults, a global file,
// a personal file and a project's file. Every value knows which of them it
// comes from. A file that is not there is no matter; one that cannot be
// understood is left out as a whole, and a field that cannot be is left out by
// itself. Either is said in a warning, and nothing here ever keeps a run from
// starting.
//
// A project's file comes with the repository and is not trusted: a limit in it
// counts only where it is smaller than what the layers below say, and it never
// names a program.
//
// Reading the files is at the edge (Load, Concurrency); everything else is
// pure.
package settings
