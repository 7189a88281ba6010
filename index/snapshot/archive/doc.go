// Package archive is a snapshot as one file, to be carried from one store to another: a tar of the sealed manifest and
// the sealed segments, as the stores keep them.
//
//	┌──────────┬───────────────────┬───────────────────┬─────┐
//	│ manifest │ segments/<name>   │ segments/<name>   │ ... │   each distinct segment once, in the manifest's order
//	└──────────┴───────────────────┴───────────────────┴─────┘
//
// It is written and read as a stream, with one segment in memory at a time. The stream may come from anywhere, so
// lengths, names and checksums are compared with the manifest, and the content of a segment with the SHA-256 in its
// name. Only the origin is taken on trust, because the manifest's checksum does not show who wrote it.
package archive
