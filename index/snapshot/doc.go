// Package snapshot stores a replica's state: the envelope around every stored byte, the manifest that names the parts
// of one snapshot, the Store that keeps them, and the Opener that is a kind of store with its settings. There are localdir,
// s3 and postgres; storetest holds all to the same rules. What a directory and a bucket have in common is in objects.
//
// A snapshot is a manifest plus immutable segments. A segment is named by the SHA-256 of its content, so a snapshot
// writes only the segments that are not stored yet. The manifest carries the journal position the state belongs to.
//
// A snapshot is verified before it is published: what was written is read back from the store and decoded, and then the
// manifest appears. So every listed snapshot was whole when it was published, and the journal may be trimmed
// accordingly.
//
// Everything stored is sealed in an envelope (fixed-width numbers little endian):
//
//	┌──────────┬─────────┬────────┬───────────┬─────────┬──────────────────────────┐
//	│ "unecho" │ version │ kind   │ length    │ payload │ xxhash64 of all before   │
//	│ 6 bytes  │ 1 byte  │ 1 byte │ 8 bytes   │ length  │ 8 bytes                  │
//	└──────────┴─────────┴────────┴───────────┴─────────┴──────────────────────────┘
//	version: 1; kind: 1 manifest, 2 segment
//
// Magic, version, and in the last eight bytes the checksum over everything before it, stay at these places in all
// future versions. So a damaged version byte can be distinguished from a future version.
//
// The payload of a manifest (uvarints are LEB128):
//
//	┌───────────────┬──────────────┬─────────────┬───────────┬─────────────┬───────────┬─────────────┐
//	│ journal topic │ leader epoch │ next offset │ taken, ms │ fingerprint │ documents │ total bytes │
//	│ 16 bytes      │ 4            │ 8           │ 8         │ 8           │ 8         │ 8           │
//	├───────────────┴─┬────────────┴──────────┬──┴───────────┴─────────────┴───────────┴─────────────┤
//	│ index           │ number of segments    │ segments ...                                         │
//	│ uvarint, bytes  │ uvarint               │                                                      │
//	├─────────────────┼───────────────────────┴──────────────────────────────────────────────────────┘
//	│ state           │
//	│ uvarint, bytes  │
//	└─────────────────┘
//	a segment:
//	┌────────────────────┬─────────┬──────────┬─────────┬───────────┬─────────────────────┐
//	│ SHA-256 of content │ number  │ sealed   │ bytes   │ documents │ xxhash64 of content │
//	│ 32 bytes           │ uvarint │ 1: 0, 1  │ uvarint │ uvarint   │ 8 bytes             │
//	└────────────────────┴─────────┴──────────┴─────────┴───────────┴─────────────────────┘
//
// The fixed part comes first, so that a listing reads a few bytes per manifest; its totals are the sums over the
// segments. Segment number 0, with no documents, is a part of a large side table. It comes after the segments whose
// changes it holds.
package snapshot
