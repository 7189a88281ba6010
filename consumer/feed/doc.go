// Package feed appends the documents of a backfill to the journal in the order of their places (design 4, rule 15).
//
//	source ─▶ reader ─▶ sign, all cores ─▶ merge ─▶ sender ─▶ journal
//	                                         ▲         │
//	                                         └─ state ─┴─ replica: what was fed so far, and whether it took what was sent
//
// The merge is pure: the same ranges give the same sequence of entries, however they are read. So a feeder can go on where
// another one was, and two feeders at a time do no harm.
package feed
