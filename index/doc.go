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
package index
