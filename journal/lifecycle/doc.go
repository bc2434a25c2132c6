// Package lifecycle tells the life of a run in a few events of a fixed shape,
// which other tools build on. They are derived from the records and the story
// of the run when somebody asks, so nothing is written twice and nothing can
// disagree.
//
// What it promises: what is derived later begins with what was derived before,
// as long as the records are read in the order Known demands. So who has
// printed n events goes on with the one after. The terminal event is the last.
//
// What it cannot: tell again of guidance or a compaction whose line of the
// story was lost in a power cut. The story is not synced.
package lifecycle
