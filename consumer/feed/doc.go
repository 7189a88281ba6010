// Package feed appends the documents of a backfill to the journal in the order of their places (design 4, rule 15).
//
//	source ─▶ reader ─▶ sign, all cores ─▶ merge ─▶ sender ─▶ journal
//	                                         ▲         │
//	                                         └─ state ─┴─ replica: what was fed so far, and whether it took what was sent
//
// What it does next is decided by package feeding, which is pure.
package feed
