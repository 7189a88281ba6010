// Package index is the pure core: a replicated state machine that reads the records of a journal in order and decides for
// each document whether a near-identical one is remembered. It knows no Kafka, store, clock, goroutine or lock; time comes
// in with the records and the answers go out as values. Two replicas that applied the same records are equal, and so are
// their verdicts.
//
//	Signer   text -> entry: normalise, shingle, sketch, band keys, evidence
//	Replica  record -> verdicts: partitions (epoch, base, held), clocks, window, buckets
//
// The window is a queue of segments, each a run of documents in the order they were applied, in one block of memory; the
// buckets find them, one table per band. A bucket is a cache line of entries, each some bits of a key's hash and some of a
// document's number; what does not fit is linked behind it, newest first:
//
//	table of band 0   [ 40 91 ]  [ 7 66 88 ]──▶[ .. ]  [ 12 ]  ...   a lookup reads one line in each band
//	table of band 1   [ 91 ]     [ 12 ]                [ 88 40 ]
//	                      │
//	segments   [ 0 .. 40 .. 91 ] [ 92 ..   ]        sealed ones never change; expired ones are dropped whole
//
// Documents expire in the order they came, so an entry is expired by its number alone, and is dropped when its line is
// next written or swept. Tables grow and shrink by one bucket at a time.
//
// # What becomes of copies
//
// A representative is a document that was like no other when it was judged. A copy of it counts one more, and no more than
// that by default. The settings say otherwise, in any combination:
//
//   - window.refresh: last. A repeat keeps its representative: age counts from the last one. When the oldest document of the
//     window has to leave and was repeated since it entered, it enters again at the head, with its identity, its count and
//     its emission. So a representative has one place at a time, of one entry's bytes, however often it is repeated. One
//     document causes up to MostReentries of those; see Replica.room for what comes then.
//   - index.keep: all. A copy is indexed, too, with its representative's number. A later document may match the copy: the
//     match names the representative, with the similarity to the copy. The copy's own age counts from its verdict. It can be
//     matched as long as its representative can: not when that has left the window, fell or was forgotten.
//   - window.reemit_every. A copy comes through as unique if neither its representative nor another copy of it did for so
//     long. It stays a copy: the representative remains what the next ones match, and goes on counting. An emission whose
//     document was refused by its output, or fell in a reposition, does not count: the next copy comes through.
//
// Of the documents that reach the threshold the most similar one is the match; of equally similar ones the one judged first,
// wherever it stands in the window by now.
package index
