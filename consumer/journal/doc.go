// Package journal frames, appends and follows the records of the journal: one topic of one partition whose order decides
// everything. What the records mean is package index's business.
//
// The key of a journal record is the consumer group whose journal it is: of two groups each would take the other's commits for
// its own. The value:
//
//	┌─────────┬──────┬─────────────┬──────────┬───────────────────────────────────────────────────────────┐
//	│ version │ kind │ fingerprint │ wall, ms │ body                                                      │
//	│ 1       │ 1    │ 8           │ zigzag   │                                                           │
//	└─────────┴──────┴─────────────┴──────────┴───────────────────────────────────────────────────────────┘
//	settings 0    length, canonical text (the fingerprint is its hash)
//	run 1         topic UUID 16 · partition · epoch · base · bytes of band keys · entries · each entry, delta to the one before
//	reposition 2  topic UUID 16 · partition · epoch · offset · partitions · length, topic name
//	forget 3      journal offset · entry number
//	checkpoint 4  journal offset · hash 8 · length, member · length, canonical settings text
//	accusation 5  journal offset · hash 8 · length, member · length, accused member
//
// Numbers without a width are LEB128 varints. The record's timestamp is the broker's (LogAppendTime).
package journal
