// Package journal frames, appends and follows the records of the journal: one topic of one partition whose order
// decides everything. Package index says what the records mean.
//
// The key of a journal record is the consumer group to which the journal belongs. Without it, two groups on one journal
// would each take the other's commits for their own. The value has a frame, which is the same in all versions, and a
// body:
//
//	┌────────────┬─────────┬────────┬──────┬─────────────┬──────────┬──────────────────────────────────────┐
//	│ 1e u n j   │ version │ crc32c │ kind │ fingerprint │ wall, ms │ body                                 │
//	│ 4          │ 1       │ 4      │ 1    │ 8           │ zigzag   │                                      │
//	└────────────┴─────────┴────────┴──────┴─────────────┴──────────┴──────────────────────────────────────┘
//	settings 0    length, canonical text (the fingerprint is index.Fingerprint of it)
//	run 1         topic UUID 16 · partition · epoch · base · bytes of band keys · entries ·
//	              each entry, delta to the one before
//	reposition 2  topic UUID 16 · partition · epoch · offset · partitions · length, topic name
//	forget 3      journal offset · entry number
//	checkpoint 4  journal offset · hash 8 · length, member · length, canonical settings text · number of
//	              the routing · length, canonical routing text
//	accusation 5  journal offset · hash 8 · length, member · length, accused member
//	mark 6        number 8
//	routing 7     number · length, canonical text
//	feed 8        entries fed before · parts, each: topic UUID 16 · partition · epoch · from · through ·
//	              bytes of band keys · entries, each: part · time of its place, delta to the one before ·
//	              the entry, delta to the one before of its part
//	fill 9        number of the fill · length, plan, or nothing · entries brought before · parts, each:
//	              topic UUID 16 · partition · length, topic name · from · through · rejected · entries, as in a feed
//	erase 10      targets, each: journal offset, delta to the one before · number of the entry
//	settings change 11   number · length, canonical text of all bounds
//	run of requests 12   as a run · number of requests · each: entries between it and the one before · hash 16
//
// Numbers without a width are LEB128 varints. The checksum (Castagnoli, little endian) covers all of the value but
// itself. The record's timestamp is the broker's (LogAppendTime).
//
// Any other record in the topic is a stray: it changes nothing, on every member alike, and takes an offset. A sound
// record that this program does not know, of a later version or another kind, ends whoever reads it, because other
// members act on it.
package journal
