// Package window is the queue of remembered documents, and the tables that find them by their keys. It is a data
// structure without rules: what is looked for, what is a match and when a document dies is decided above it.
//
//	meet by keys     Buckets: Probe, Likely, Meet, MeetFine, Met   the newest documents under a key
//	read by number   At, and of an Entered Document, Keys, Digest, Offset
//	insert           Insert                      a document becomes the newest one
//	evict            Front, Leave, Expire        the oldest one leaves
//	mark             of an Entered SetCopies, Repeat, Emit, Kill; and Erase
//	store            Capture, and Restore
//
// The queue is made of segments. A segment is a run of documents in the order they were applied, in one block of
// memory. The buckets find the documents, with one table per band. A bucket is a cache line of entries; an entry is
// some bits of a key's hash and some of a document's number. Entries that do not fit are in lines linked behind it,
// newest first:
//
//	table of band 0   [ 40 91 ]  [ 7 66 88 ]──▶[ .. ]  [ 12 ]  ...   a lookup reads one line in each band
//	table of band 1   [ 91 ]     [ 12 ]                [ 88 40 ]
//	                      │
//	segments   [ 0 .. 40 .. 91 ] [ 92 ..   ]        sealed ones never change; expired ones are dropped whole
//
// Where sealed segments lie in files, the oldest are found by blocks in place of the tables (Files: Due, Adopt; Block).
//
// Documents expire in the order they came, so the number in an entry shows whether it has expired. It is dropped when
// its line is next written or swept. Tables take turns to grow and shrink, by single buckets.
package window
