// Package completion keeps the list of what an owner has not taken note of:
// one completion for every run that is over, until it is acknowledged.
//
// What it promises: a completion is there as soon as the result is, and until
// acknowledged.json is; no kill between any two steps loses or repeats one.
// The result and the acknowledgement are the truth. The marks only make it
// findable without reading every run there ever was.
//
// A mark is a second name of the run's launch record in the owner's folder:
// ID from the moment the run is taken up, ID.over once its result is there.
// Giving it costs the launch one system call, and a new file is not needed.
// Marks are not synced. Once a boot whoever reads them makes those again that
// a power cut took (Complete).
package completion
