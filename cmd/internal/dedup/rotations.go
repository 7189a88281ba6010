package dedup

import (
	"errors"
	"fmt"
	"math"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
)

// RotationsParams say how documents are compared by sorted rotations.
type RotationsParams struct {
	Index    index.Params  // settings that documents are signed with; their distance is one that blocks guarantee
	Distance int           // the distance to search for
	Memory   setting.Bytes // bound in bytes of what is kept of the documents, and of their matches
	// each document has all its matches; otherwise only those that determine its cluster and the most similar one
	Pairs bool
}

// Rotations gathers all documents and finds, at the end, every pair of SimHashes within a distance by sorted rotations,
// or where these save nothing by comparing each with each.
// With verify: estimate such a pair is a match; otherwise the pair is verified. Documents of equal text are compared as
// one.
type Rotations struct {
	params    RotationsParams
	pairs     sketchPairs
	documents []rotatedDocument
	contents  []content
	known     map[contentKey]int32 // -> its place in contents
	taken     int64                // bytes of Memory in use
	next      int64
	first     int64
	none      matches
}

// rotatedDocument is what is kept of a document.
type rotatedDocument struct {
	number  int64
	name    []byte
	content int32
	next    int32 // the next document of the same content; -1 if there is none
}

// content is the common part of documents of equal text, in one scope.
type content struct {
	entry             entry.Entry
	first, last, lead int32 // documents; lead is the first since Begin, if there is one
}

type contentKey struct{ content, scope uint64 }

// Bytes that are kept beside names and evidence, with slices that grow by a quarter and a map half full.
const (
	documentBytes = 64
	contentBytes  = 320
)

// NewRotations makes a Rotations that knows no document.
func NewRotations(p RotationsParams) (*Rotations, error) {
	pairs, err := newSketchPairs(p.Index.Similarity.Bits, p.Distance)
	if err != nil {
		return nil, err
	}
	return &Rotations{params: p, pairs: pairs, known: map[contentKey]int32{}}, nil
}

// Begin does what Index.Begin does: pairs of documents before it are skipped.
func (r *Rotations) Begin() { r.first = r.next }

// First is the number of the first document since Begin.
func (r *Rotations) First() int64 { return r.first }

// Next is the number of the next document.
func (r *Rotations) Next() int64 { return r.next }

// Count is the number of rotations; 0 if each is compared with each.
func (r *Rotations) Count() int {
	if !r.pairs.Rotated() {
		return 0
	}
	return r.pairs.Count()
}

func (r *Rotations) reach(number int64) { r.next = number }

func (r *Rotations) atOnce() int { return math.MaxInt } // they have no match yet

// apply keeps what Finish needs. It returns no match.
func (r *Rotations) apply(s *signed) (*matches, error) {
	if len(r.documents) > math.MaxInt32-len(s.entries) {
		return nil, errors.New("more than two thousand million documents are too many for sorted rotations")
	}
	r.none.reset()
	for i := range s.entries {
		r.none.next(false)
		if !s.entries[i].Empty() {
			r.add(&s.entries[i], s.sketches[i])
		}
	}
	if r.taken > int64(r.params.Memory) {
		return nil, fmt.Errorf("%w of %s after %d documents", ErrMemory, r.params.Memory, len(r.documents))
	}
	return &r.none, nil
}

func (r *Rotations) add(e *entry.Entry, codes []byte) {
	place := int32(len(r.documents))
	key := contentKey{e.Content, e.Scope}
	at, met := r.known[key]
	if met {
		c := &r.contents[at]
		r.documents[c.last].next, c.last = place, place
		if r.documents[c.lead].number < r.first {
			c.lead = place
		}
	} else {
		at = int32(len(r.contents))
		r.known[key] = at
		r.contents = append(r.contents, content{entry: r.kept(e), first: place, last: place, lead: place})
		r.pairs.Add(codes)
		r.taken += contentBytes + int64(len(r.contents[at].entry.Evidence))
	}
	name := append([]byte(nil), e.ID...)
	r.documents = append(r.documents, rotatedDocument{number: e.Offset, name: name, content: at, next: -1})
	r.taken += documentBytes + int64(len(name))
}

// kept is what a content is verified by.
func (r *Rotations) kept(e *entry.Entry) entry.Entry {
	c := *e
	c.Keys, c.ID = nil, nil
	if r.estimates() {
		c.Evidence = nil
	}
	return c.Clone()
}

func (r *Rotations) estimates() bool { return r.params.Index.Similarity.Verify == "estimate" }

// judged says whether one of a content's documents is not part of the index.
func (r *Rotations) judged(c *content) bool { return r.documents[c.last].number >= r.first }
