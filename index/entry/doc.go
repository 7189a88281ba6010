// Package entry is the one format of a signed document: in runs in the journal, singly in the index's memory, and in
// the segments of a snapshot.
//
// An entry, as bytes (varints are LEB128; fixed-width numbers little endian):
//
//	┌────────┬──────────────┬──────────────┬───────────┬─────────┬───────────────┬────────┬────────────┬────────────┐
//	│ flags  │ offset       │ time, ms     │ scope     │ content │ keys          │ digest │ id         │ evidence   │
//	│ 1 byte │ zigzag delta │ zigzag delta │ 8, if any │ 8       │ bands x width │ 32     │ len, bytes │ len, bytes │
//	└────────┴──────────────┴──────────────┴───────────┴─────────┴───────────────┴────────┴────────────┴────────────┘
//	flags: bits 0-1 kind of evidence (0 none, 1 text, 2 sketch, 3 shingles), bit 2 scope present, bit 3 id present
//
// An empty document (kind none) has neither content, keys, digest nor evidence. The length of the keys is fixed by the settings
// and stands once in the envelope around the entries.
//
// Offset and time are deltas to the previous entry of a run, and absolute where an entry stands alone.
package entry
