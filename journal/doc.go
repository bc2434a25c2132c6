// Package journal is the truth about runs: typed JSON records in one home
// directory, written durably and read back strictly.
//
// What it promises:
//
//   - A record is absent or whole, whatever is killed and whenever the power
//     goes: it is written under a name no reader matches, synced, published
//     under its real name in one step, and the directory is synced.
//   - A write-once record has one winner; every loser is told so.
//   - Readers tell missing, damaged and newer apart and never delete evidence.
//   - Phase and status are derived from the records by one pure function;
//     nothing stores them.
//
// What it cannot: notice bytes that the disk changed into other valid JSON,
// or keep what a disk loses after it reported a sync as done.
//
// The package starts no process, knows no signal and keeps no global state.
package journal
