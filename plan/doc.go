// Package plan reads a file of tasks with needs and checks it whole. It is
// pure: what it says depends on the file only, and nothing is started, written
// or looked up.
//
// What it promises: a plan that Parse returns has tasks with unique ids, no
// cycle, and placeholders that stand for something; of one that it refuses all
// faults are told at once, each with its task and line.
//
// What it cannot: tell whether the value of an option is a good one. The
// options keep what was typed, for whoever reads the same from flags.
package plan
