// Package archive is a snapshot as one file, to be carried from one store to another: a tar of the sealed manifest and the
// sealed segments, as the stores keep them.
//
//	┌──────────┬───────────────────┬───────────────────┬─────┐
//	│ manifest │ segments/<name>   │ segments/<name>   │ ... │   each distinct segment once, in the manifest's order
//	└──────────┴───────────────────┴───────────────────┴─────┘
//
// It is written and read as a stream, one segment in memory at a time. What is read comes from anywhere: lengths, names and
// checksums are held against the manifest, and the content of a segment against the SHA-256 that names it. Only what the
// manifest's own checksum cannot tell is taken on trust: who wrote it.
package archive
