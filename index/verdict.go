package index

import (
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// Match is the representative that a document is a copy of. Similarity and Method describe how similar the document is
// to the nearest document that stands for the representative: the representative itself, or with duplicates.compare_copies: true
// another of its copies. With the method Resent the match is the document that came first with the same idempotency
// key, whatever its own verdict was.
type Match struct {
	Source     entry.Source
	Topic      string         // the topic's name, as its reposition gave it
	Offset     int64          // in the source partition
	Position   entry.Position // where the representative was judged in the journal
	Time       int64          // document time of the representative, ms since 1970
	ID         string         // the representative's id; empty means its coordinates
	Similarity compare.Similarity
	Method     compare.Method
	Copy       uint64 // ordinal; the original is 1, its first duplicate 2
}

// Verdict is what the journal decided about one document.
//
//	                  Match   Reemitted   Forgotten   goes to
//	unique            none    no          no          unique
//	let through       yes     yes         no          unique, with the headers of its match
//	duplicate         yes     no          -           duplicate
//	its output refused it     -           yes         rejected
type Verdict struct {
	Offset   int64          // of the document in its source partition
	Position entry.Position // where it was judged
	Content  uint64         // hash of the text that was judged
	Match    Match          // zero for a document that is like no other
	// Reemitted marks a copy that was let through as unique: none of its kind had come through for duplicates.remember.reemit_every.
	Reemitted bool
	// Cut marks a document that matched none of the candidates it was compared with, while other candidates were left
	// out: it may be a copy.
	Cut bool
	// Late is how far a document's time lies behind the stream time, in seconds: in what was fed, behind the time of its
	// place. It is 0 within the tolerance, and for a document that has no time.
	Late int64
	// Forgotten marks a document that its output refused. A unique one goes to rejected.
	Forgotten bool
}

// Matched says whether the document is a copy of a representative.
func (v *Verdict) Matched() bool { return v.Match.Method != compare.NoMatch }

// Unique says whether the document goes to the unique topic: it matched nothing, or is a copy that was let through.
func (v *Verdict) Unique() bool { return !v.Matched() || v.Reemitted }

// CopyOf returns the number of the document in a Series that this one is a copy of, and leaves for; -1 if it stays.
func (v *Verdict) CopyOf() int {
	if v.Unique() {
		return -1
	}
	return int(v.Match.Offset)
}
