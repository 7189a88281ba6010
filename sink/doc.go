// Package sink turns verdicts into records: it forwards.
//
// Each source record becomes exactly one record of the unique, duplicate or rejected topic, in the partition of the
// same number, with key, value, headers and timestamp unchanged. These headers follow the source's own:
//
//	unecho-verdict      unique, duplicate or rejected
//	unecho-source       topic/partition/offset of the source record
//	unecho-index        the group whose index judged it
//	unecho-algorithm    how it judged, with version and settings fingerprint: minhash/2:9f86d081884c7d65
//
//	of a duplicate, and of a copy that was let through as unique (duplicates.remember.reemit_every)
//	unecho-match        topic/partition/offset of the representative
//	unecho-match-id     the representative's id as raw bytes; its coordinates where it has none
//	unecho-match-time   the representative's document time: RFC 3339, UTC, milliseconds
//	unecho-similarity   0.0000 to 1.0000, rounded down
//	unecho-method       identical, jaccard, levenshtein, estimate or hamming
//	unecho-copy         the copy's ordinal; the original is 1
//
//	of a unique document that was not compared with all its candidates, and so may be a copy
//	unecho-cut          candidates
//
//	of a document that was forwarded as unique without being judged (sources.when)
//	unecho-unchecked    condition, or outage
//
//	of a unique document or a duplicate of a backfill that is older than what came before it in its partition
//	unecho-late         by how many seconds
//
//	of a judged document of which something does not count (duplicates.ignore)
//	unecho-ignored      share of its shingles, each as often as it occurs, 0.0000 to 1.0000, rounded down
//
//	of a rejected document
//	unecho-reason       a Reason
//	unecho-detail       what exactly, for people
//	unecho-value-bytes  only where the value had to be withheld: how long it was; likewise unecho-key-bytes and
//	                    unecho-header-bytes
//	unecho-timestamp    only where the record has another timestamp: the source record's own, as Kafka has it, in
//	                    milliseconds since 1970
//
// Headers is the table of these headers. The encoder and the worst case read it.
//
// With Params.Verdicts a further topic has the same facts, in a JSON record for each source record: see
// Batch.VerdictRecord. They are of the same transaction. The headers are there all the same: audits and fills read them.
//
// Headers of the source record that begin with unecho-, in whatever case, are dropped: they are never trusted.
//
// An Encoder lives as long as the process, a Batch holds the memory of one transaction. Both are deterministic: the
// same record, verdict and settings give the same bytes on every member.
package sink
