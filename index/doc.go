// Package index is the pure core: a replicated state machine. It reads the records of a journal in order, and decides
// for each document whether a near-identical one is remembered. It has no Kafka, store, clock, goroutine or lock: time
// comes in with the records, and the answers go out as values. Two replicas that applied the same records are equal,
// and so are their verdicts.
//
//	Signer   text -> entry: normalise, shingle, sketch, band keys, evidence
//	Replica  record -> verdicts: partitions (epoch, base, held), clocks, what is looked for, what is a match
//
// The rules are here. What they are about has rooms of its own: package window the remembered documents and the tables
// that find them, package compare how similar two are.
//
// # What becomes of copies
//
// A representative is a document that matched no other when it was judged. By default, a copy of it only adds 1 to its
// count of copies. The settings can change that, in any combination:
//
//   - duplicates.remember.refresh: last. A repeat keeps its representative in the window: age counts from the last repeat. When the
//     oldest document has to leave the window and was repeated since it entered, it enters again at the head, with its
//     identity, its count and its emission. So a representative has one place at a time, and takes the bytes of one
//     entry, however often it is repeated. One document causes up to MostReentries re-entries; judge.room says what
//     happens beyond that.
//   - duplicates.compare_copies: true. A copy is indexed too, with the number of its representative. A later document may match the
//     copy: the match then names the representative, with the similarity to the copy. The copy's own age counts from its
//     verdict. The copy can be matched as long as its representative can: no longer when that has left the window, fell
//     or was forgotten.
//   - duplicates.remember.reemit_every. A copy comes through as unique if neither its representative nor another copy of it did for
//     this long. It stays a copy: the representative is still what the next ones match, and its count still grows. An
//     emission whose document was refused by its output, or fell in a reposition, does not count: the next copy comes
//     through.
//
// Of the documents that reach the threshold, the match is the most similar one; of equally similar ones the one judged
// first, wherever it now is in the window.
package index
