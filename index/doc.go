// Package index is the pure core: a replicated state machine that reads the records of a journal in order and decides for
// each document whether a near-identical one is remembered. It knows no Kafka, store, clock, goroutine or lock; time comes
// in with the records and the answers go out as values. Two replicas that applied the same records are equal, and so are
// their verdicts.
//
//	Signer   text -> entry: normalise, shingle, sketch, band keys, evidence
//	Replica  record -> verdicts: partitions (epoch, base, held), clocks, window, buckets
//
// The window is a queue of segments, each a run of documents in the order they were applied; the buckets are chains through
// it, one per band key, from the newest document to the oldest:
//
//	heads[slot of band 0]──▶ doc 91 ──prev──▶ doc 40 ──prev──▶ doc 7   (7 is older than the window: the walk ends)
//	heads[slot of band 1]──▶ doc 88 ──prev──▶ ...
//	                         │
//	segments  [ 0 .. 65535 ] [ 65536 .. ]        sealed ones never change; expired ones are dropped whole
package index
