// Package audit proves from outside what unecho promises. It reads the source topics, the journal and the output topics,
// replays the journal with the naive twin, and holds every source record against what came out:
//
//	source p/o ──▶ exactly one record in unique, duplicate or rejected          lost, doubled
//	               key, value, headers and timestamp as they were               altered
//	               topic and unecho- headers as the journal decided             different
//	               after those before it in its partition                       misordered
//	output     ──▶ its unecho-source names a source record                      invented
//
// It knows the promise, not the program: the names and forms of the headers are written down here once more, the state
// machine is package index/naive, and only the journal's codec is shared.
//
// # Facts
//
// Nothing is kept in memory but the twin's window. Each source record, verdict and output becomes a fact of some 60 bytes;
// they are sorted by source record in a temporary file, and then reckoned up record by record:
//
//	journal ──▶ twin ──▶ judgements ─┐
//	source ────────────▶ digests ────┼──▶ sorter ──▶ group of one source record ──▶ findings
//	outputs ───────────▶ claims ─────┘
//
// # Passes
//
// Each reposition of a source partition that applied begins a pass: a person set the offset, and from there on records come
// out again, or some are skipped. A record owes one output to each pass that began at or below it and got beyond it; how far
// a pass got before the next one is its last announced base, so that what it forwarded later may be there and need not be.
// Records that are owed by none and came out in none are counted as skipped: the journal does not tell who set the offset.
// Without repositions but the first there is one pass, it got to the end, and everything from its start on is owed once.
//
// # A trimmed journal
//
// Where the journal's head is trimmed, the twin goes on from the oldest snapshot that the journal still continues. Verdicts
// before it are not known: their documents must have come out once, unchanged and in order, with whatever verdict. Of passes
// before it no more is known than how many there were: so many outputs more of a record are no finding.
//
// # An earlier journal
//
// Where a new journal took the place of an earlier one, the outputs hold what both decided. An output whose source record lies below
// the offset at which this journal began with its partition is of the earlier one: it must be unchanged, and is counted. So is
// one, among those that a pass went back to, whose unecho-index or unecho-algorithm is another. How often and in which order
// an earlier journal's outputs had to come is not known.
//
// # A changed routing
//
// The journal says which routing was in force when. What another one than the audited configuration's sent elsewhere is not due, and
// is counted. So is what was judged, and not announced as committed, when the routing changed, unless it is in the outputs: whoever
// commits a document decides where it goes. Before a snapshot nobody knows when routings changed: if any did, nothing is due there.
// Outputs that no routing names are taken for copies of those in force last.
//
// # Limits
//
// Outputs of source records that the source topic itself no longer holds are counted, and compared with nothing. Topics are
// told apart by name in headers: outputs of an earlier topic of the same name, deleted since, count as doubled or invented. A
// unique document that is forgotten while its verdict is held is expected in rejected; one that an operator has forgotten
// after it was forwarded, in the moment before its partition's next base, is reported though nothing is wrong. Where an output
// may be of several passes its order is not judged. A snapshot is taken at its word: that it is whole is verified, that the
// member which took it was right is what checkpoints are for.
package audit
