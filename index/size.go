package index

import "github.com/unecho/unecho/index/entry"

// What the index itself takes beside the entry. It is counted as it is in a window that is full and at rest; the slack of a
// table that grows or shrinks is in bucketBytes: 64 bytes for 11 documents and their spill lines come to 7.0 at most.
const (
	documentBytes = 20 // the head of the record 12, where it begins 4, the count of copies 4
	bucketBytes   = 8  // per band, and for all of them together
	repeatBytes   = 24 // the last repeat 8, and for those that entered again their first number and place 16
	rootBytes     = 6  // the number of the representative
	placeBytes    = 40 // in the map from first numbers to present ones
	emissionBytes = 50 // the last copy that came through 40, and the slack of the column
)

// Parts are the bytes that a document counts against window.bytes, by what they are for.
type Parts struct {
	Entry       int64 `json:"entry"`    // offset, time, content hash, scope
	ID          int64 `json:"id"`       // the user's id
	Evidence    int64 `json:"evidence"` // what candidates are verified with
	Keys        int64 `json:"keys"`     // band keys
	Buckets     int64 `json:"buckets"`  // its place in each band, and in the table of all
	Bookkeeping int64 `json:"bookkeeping"`
}

// Sum is EntryBytes.
func (p Parts) Sum() int64 { return p.Entry + p.ID + p.Evidence + p.Keys + p.Buckets + p.Bookkeeping }

// PartsOf says what EntryBytes is made of.
func PartsOf(p Params, e *entry.Entry) Parts {
	bare, keys := *e, int64(len(e.Keys))
	bare.ID = nil
	parts := Parts{Keys: keys, ID: int64(entry.Size(e) - entry.Size(&bare))}
	withEvidence := int64(entry.Size(&bare))
	bare.Evidence = nil
	parts.Evidence = withEvidence - int64(entry.Size(&bare)) + 1 // its length takes a byte even if it is 0
	parts.Entry = withEvidence - parts.Evidence - keys
	parts.Buckets = (keys/int64(p.Similarity.KeyBytes) + 1) * bucketBytes
	parts.Bookkeeping = EntryBytes(p, e) - parts.Sum()
	return parts
}

// EntryBytes is what a document counts against window.bytes: its entry encoded alone, and a fixed share for the index
// around it. It is the same on every member, whatever their memory really does, because it decides what a member still
// sees.
func EntryBytes(p Params, e *entry.Entry) int64 {
	bands := len(e.Keys) / p.Similarity.KeyBytes
	return int64(entry.Size(e)-len(e.Keys)) + fixedBytes(p, bands)
}

// fixedBytes is the part of EntryBytes that is the same for all documents.
func fixedBytes(p Params, bands int) int64 {
	n := documentBytes + bands*(p.Similarity.KeyBytes+bucketBytes) + bucketBytes
	if p.Refreshes() {
		n += repeatBytes
	}
	if p.KeepsAll() {
		n += rootBytes
	}
	if p.Refreshes() && p.KeepsAll() {
		n += placeBytes
	}
	if p.Window.ReemitEvery > 0 {
		n += emissionBytes
	}
	return int64(n)
}
