// Package audit proves from outside that unecho keeps its promises. It reads the source topics, the journal and the
// output topics, replays the journal with the naive twin, and compares every source record with what came out:
//
//	source p/o ──▶ exactly one record in unique, duplicate or rejected          lost, doubled
//	               key, value, headers and timestamp as they were               altered
//	               topic and unecho- headers as the journal decided             different
//	               after those before it in its partition                       misordered
//	output     ──▶ its unecho-source names a source record                      invented
//
// Where there is a topic of verdicts, each output has one record there. It says what the output's headers say, under the
// source record's coordinates, in the partition of the same number, and in order.
//
// Where there is a topic of clusters, each copy has one record there, which says what the output's headers and the journal
// say. The topic is compacted: of the records of a key the last one is there, and those before may be gone.
//
// It knows the promise and not the program: it has its own table of the headers' names, values and forms, the state
// machine is package index/naive, and only the journal's codec is shared.
//
// # Facts
//
// The audit keeps nothing in memory but the twin's window, and originals of clusters: in each partition, those whose
// records of earlier copies are gone while that of a later copy is still to be found; where offsets were set back, all
// originals with copies in that partition; and those whose records are lost. Each source record, verdict and output becomes
// a fact of some 60 bytes. The facts are sorted by source record in a temporary file, and then reckoned up record by record:
//
//	journal ──▶ twin ──▶ judgements ─┐
//	source ────────────▶ digests ────┼──▶ sorter ──▶ group of one source record ──▶ findings
//	outputs ───────────▶ claims ─────┘
//
// # Passes
//
// Each reposition of a source partition that applied begins a pass: a person set the offset, and from there on records
// come out again, or some are skipped. A record owes one output to each pass that began at or below it and got beyond
// it. A pass got as far as its last announced base before the next pass: what it forwarded behind that may be there and
// need not be. Records that no pass owes and no output has are counted as skipped, because the journal does not tell
// who set the offset. Without repositions but the first there is one pass. It got to the end, and owes everything from
// its start on once.
//
// # A trimmed journal
//
// Where the journal's head is trimmed, the twin begins with the oldest snapshot that the journal still continues.
// Verdicts before it are not known: their documents must have come out once, unchanged and in order, with any verdict.
// They are unjudged. Of the passes before it only the number is known, so a record may have as many further outputs as
// there were passes, and where two outputs may be of either pass, their order is not judged. Where the routing changed
// before the snapshot, or there were passes before its own, it is not known what had to come out. What did is compared
// all the same. What did not may be lost, or skipped, or have gone elsewhere: it is unjudged as well, and absent.
//
// # An earlier journal
//
// Where a new journal replaced an earlier one, the outputs hold the decisions of both. An output is of the earlier
// journal if its source record lies below the offset at which this journal began with its partition. It must be
// unchanged, and is counted. The same holds for an output among those that a pass went back to, if its unecho-index or
// unecho-algorithm is another. How often and in which order an earlier journal's outputs had to come is not known.
//
// # A changed routing
//
// The journal says which routing was in force when. Documents that another routing than the audited configuration's
// sent elsewhere are not due, and are counted. Documents that were judged, and not announced as committed, when the
// routing changed are treated alike unless they are in the outputs, because whoever commits a document decides where it
// goes. Outputs that no routing names are taken for copies of those in force last.
//
// # Limits
//
// Outputs of source records that the source topic no longer holds are counted, and compared with nothing.
//
// Headers tell topics apart by name only. Outputs of an earlier topic of the same name, deleted since, count as doubled
// or invented.
//
// A unique document that is forgotten while its verdict is held is expected in rejected. A document that an operator
// has forgotten after it was forwarded, in the moment before its partition's next base, is reported though nothing is
// wrong.
//
// Where an output may be of several passes, its order is not judged. Nor is it where an output fits no pass, and there
// are several.
//
// A snapshot is verified to be whole. That the member which took it was right is not: checkpoints are for that.
package audit
