// Package entry is the one format in which a signed document travels and rests: in runs through the journal, singly in the
// index's memory, and in the segments of a snapshot.
//
// An entry, as bytes (varints are LEB128; fixed-width numbers little endian):
//
//	┌────────┬──────────────┬──────────────┬────────────┬───────────┬────────────────┬────────────┬─────────────┐
//	│ flags  │ offset       │ time ms      │ content    │ scope     │ keys           │ id         │ evidence    │
//	│ 1 byte │ varint delta │ zigzag delta │ 8, if text │ 8, if any │ bands x width  │ len, bytes │ len, bytes  │
//	└────────┴──────────────┴──────────────┴────────────┴───────────┴────────────────┴────────────┴─────────────┘
//	flags: bits 0-1 kind of evidence (0 none, 1 text, 2 sketch), bit 2 scope present, bit 3 id present, bit 4 empty text
//
// Offset and time are deltas to the entry before in a run, and absolute where an entry stands alone.
package entry
