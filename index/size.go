package index

import (
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// Bytes that the index takes for a document beside its entry, in a full window at rest: window.BucketBytes for each table, and
// these.
const (
	headBytes     = 12 // head of the record
	documentBytes = 20 // the head, where the record begins 4, count of copies 4
	repeatBytes   = 24 // last repeat 8; and 16 for the first number and place of those that entered again
	rootBytes     = 6  // number of the representative
	emissionBytes = 50 // last copy that came through 40, and the slack of the column
)

// Parts splits the bytes that a document counts against duplicates.remember.memory by their purpose.
type Parts struct {
	Entry       int64 `json:"entry"`    // offset, time, content hash, scope
	ID          int64 `json:"id"`       // the user's id
	Evidence    int64 `json:"evidence"` // what candidates are verified with
	Keys        int64 `json:"keys"`     // band keys
	Digest      int64 `json:"digest"`   // what unlike documents are told apart by
	Buckets     int64 `json:"buckets"`  // its place in each band's table, and in the table of all bands
	Bookkeeping int64 `json:"bookkeeping"`
}

// Sum returns the total, which equals EntryBytes.
func (p Parts) Sum() int64 {
	return p.Entry + p.ID + p.Evidence + p.Keys + p.Digest + p.Buckets + p.Bookkeeping
}

// Stored is how many of them a snapshot holds. The rest is made anew by a restore.
func (p Parts) Stored() int64 {
	return headBytes + p.Entry + p.ID + p.Evidence + p.Keys + p.Digest
}

// PartsOf splits EntryBytes into its parts.
func PartsOf(p Params, e *entry.Entry) Parts {
	bare, keys := *e, int64(len(e.Keys))
	bare.ID = nil
	parts := Parts{Keys: keys, Digest: entry.DigestBytes, ID: int64(entry.BareSize(e) - entry.BareSize(&bare))}
	withEvidence := int64(entry.BareSize(&bare))
	bare.Evidence = nil
	parts.Evidence = withEvidence - int64(entry.BareSize(&bare)) + 1 // its length takes a byte even if it is 0
	parts.Entry = withEvidence - parts.Evidence
	parts.Buckets = (keys/entry.KeyBytes + 1) * window.BucketBytes
	parts.Bookkeeping = EntryBytes(p, e) - parts.Sum()
	return parts
}

// RestoredBytes returns what the documents of a snapshot count against duplicates.remember.memory when all of them are in
// memory, which is what they take, by the bytes that the snapshot has of them. No setting is open.
func RestoredBytes(p Params, documents, stored int64) (int64, error) {
	p, err := p.Planned()
	if err != nil {
		return 0, err
	}
	made, err := p.Duplicates.NewSketch()
	if err != nil {
		return 0, err
	}
	bands := made.Bands()
	return stored + documents*(fixedBytes(p, bands)-int64(headBytes+entry.DigestBytes+bands*entry.KeyBytes)), nil
}

// EntryBytes returns the bytes that a document counts against duplicates.remember.memory: the size of its encoded entry, and a fixed
// share for the index. It is the same on every member, whatever memory a member really uses, because it decides which
// documents are still in the window. FineBytes are counted beside it.
func EntryBytes(p Params, e *entry.Entry) int64 {
	bands := len(e.Keys) / entry.KeyBytes
	return int64(entry.BareSize(e)) + fixedBytes(p, bands)
}

// FineBytes returns what a document counts against duplicates.remember.memory for so many fine keys under which it is linked.
func FineBytes(keys int) int64 { return window.FineBytes(keys) }

// fixedBytes is the part of EntryBytes that is the same for all documents.
func fixedBytes(p Params, bands int) int64 {
	n := documentBytes + entry.DigestBytes + bands*(entry.KeyBytes+window.BucketBytes) + window.BucketBytes
	if p.Refreshes() {
		n += repeatBytes
	}
	if p.Duplicates.CompareCopies {
		n += rootBytes
	}
	if p.Refreshes() && p.Duplicates.CompareCopies {
		n += window.ReentryBytes
	}
	if p.Duplicates.Remember.ReemitEvery > 0 {
		n += emissionBytes
	}
	return int64(n)
}

// window says what a window of documents with so many bands is of.
func (p *Params) window(bands int) window.Params {
	return window.Params{
		Bands: bands, Share: fixedBytes(*p, bands),
		Age: p.Duplicates.Remember.Age.Milliseconds(), Count: uint64(p.Duplicates.Remember.Documents), Bytes: int64(p.Duplicates.Remember.Memory),
		Refreshes: p.Refreshes(), Copies: p.Duplicates.CompareCopies,
	}
}
