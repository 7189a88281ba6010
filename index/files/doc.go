// Package files keeps the sealed segments of a window in a directory of one member, so that memory need not hold them,
// and blocks, which find documents in a run of segments by their keys.
//
//	<directory>/
//	  owner            whose documents these are; JSON
//	  lock             held by flock while a process has the directory open; its text says who
//	  <name>           a sealed segment, immutable: the bytes whose SHA-256 is the name; page n is at byte n*4096
//	  <a>-<b>.block    a block of segments a to b, immutable: what is in it is package block's
//	  <name>.<n>.tmp   being written
//
// A file is written under a temporary name, synced, read back and renamed; then the directory is synced. So it is there
// completely or not at all, also after a power cut. What a dead writer left is removed at the next Open, what a failed write
// left at the next Keep. A Directory never removes a file that is not its own.
//
// A read that fails is no answer. Errors tell apart what a caller does next: a segment that is not there
// (snapshot.ErrMissingSegment) or is damaged (*snapshot.CorruptError) comes from the store again; a full disk (ErrFull)
// waits for room; a directory that is gone (ErrVanished) ends the process; any other error may pass when it is tried
// again. The directory does not try again by itself. ReadPage verifies nothing, because its caller has the checksums of
// the pages; Read verifies the content.
//
// A block is derived from its segments, so no store has it. One that is not there (ErrMissingBlock), or that its reader
// finds damaged, is built anew. It may be larger than memory: Write takes a stream, and OpenBlock reads any part. Under
// one name there may be another block later, as an erasure changes segments; who has the earlier one open reads on.
package files
