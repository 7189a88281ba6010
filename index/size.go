package index

import "github.com/unecho/unecho/index/entry"

// EntryBytes is what a document counts against window.bytes: its entry encoded alone, and a fixed share for the index
// around it (64 bytes for the document, 28 for its place in each band). It is the same on every member, whatever their
// memory really does, because it decides what a member still sees.
func EntryBytes(p Params, e *entry.Entry) int64 {
	bands := len(e.Keys) / p.Similarity.KeyBytes
	return int64(entry.Size(e) + 64 + 28*bands)
}
