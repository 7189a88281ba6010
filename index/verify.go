package index

import (
	"encoding/binary"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// verifier measures how similar an entry is to a candidate. begin is called once per entry, before its first candidate.
// What is not similar enough may be called less similar than it is. Evidence that does not decode is similar to nothing: it
// must not stop the stream, and all members read the same bytes.
type verifier interface {
	begin(e *entry.Entry)
	similarity(candidate *entry.Entry) Similarity
	method() Method
	// cost is what comparing two entries takes at the most, in steps of similarity.max_work; spent is what of it counts, by how
	// similar they were found. Both follow from the entries alone, however little had to be done.
	cost(own, candidate *entry.Entry) int
	spent(cost int, s Similarity) int
	outliner
}

// outliner tells candidates apart before they are compared, where a verifier can.
type outliner interface {
	// outlines says whether e can be told apart from others by an outline.
	outlines(e *entry.Entry) bool
	// hashes is how many the outline of an entry is made of.
	hashes(e *entry.Entry) int
	// outline makes the outline of an entry that can.
	outline(e *entry.Entry, o *outline)
	// shares says how many hashes two documents must share, in num / den of those that each of them has, counted twice.
	shares() (num, den int)
}

// flat is a verifier that counts its whole cost.
type flat struct{}

func (flat) spent(cost int, _ Similarity) int { return cost }

// plain is one that has no outlines.
type plain struct{}

func (plain) outlines(*entry.Entry) bool     { return false }
func (plain) hashes(*entry.Entry) int        { return 0 }
func (plain) outline(*entry.Entry, *outline) {}
func (plain) shares() (num, den int)         { return 0, 1 }

func newVerifier(p SimilarityParams, s sketch.Sketch) (verifier, error) {
	kind := p.evidence()
	if kind == entry.Sketch {
		return &estimator{sketch: s, by: p.EstimatedBy()}, nil
	}
	if kind == entry.Shingles {
		return &overlap{least: p.Least()}, nil
	}
	if p.Verify == verifyLevenshtein {
		return &levenshtein{least: int(p.Least().Num)}, nil
	}
	shingling, err := p.Shingling()
	return &jaccard{shingling: shingling, weighted: p.Weighted}, err
}

// unlike is the similarity to what cannot be compared, or is not similar enough.
func unlike() Similarity { return Similarity{Den: 1} }

// jaccard is the Jaccard similarity over the hashes of shingles, from the texts.
type jaccard struct {
	shingling text.Shingling
	weighted  bool
	sorter    text.Sorter
	own, them []uint64
	text      []byte
	flat
	plain
}

// textSteps is what a byte of text costs: it is unpacked, and its shingles are hashed and sorted.
const textSteps = 6

func (x *jaccard) cost(own, candidate *entry.Entry) int {
	return textSteps * (entry.TextLen(own) + entry.TextLen(candidate))
}

func (x *jaccard) method() Method { return Jaccard }

func (x *jaccard) begin(e *entry.Entry) { x.own = x.shingles(x.own, e) }

func (x *jaccard) similarity(candidate *entry.Entry) Similarity {
	x.them = x.shingles(x.them, candidate)
	shared, union := sketch.Jaccard(x.own, x.them)
	if shared == 0 {
		return unlike()
	}
	return Similarity{Num: uint32(shared), Den: uint32(union)}
}

func (x *jaccard) shingles(dst []uint64, e *entry.Entry) []uint64 {
	x.text = readText(x.text, e)
	return sorted(&x.sorter, x.shingling.AppendHashes(dst[:0], x.text), x.weighted)
}

// estimator compares sketches.
type estimator struct {
	sketch sketch.Sketch
	by     Method
	own    []byte
	flat
}

func (x *estimator) cost(_, _ *entry.Entry) int { return 1 }

func (x *estimator) outlines(e *entry.Entry) bool { return e.Kind == entry.Sketch }

func (x *estimator) hashes(*entry.Entry) int { return 1 }

// outline is the front of a sketch: the more bits of it differ, the less similar it is in all likelihood.
func (x *estimator) outline(e *entry.Entry, o *outline) {
	var front [8 * outlineWords]byte
	if e.Kind != entry.Sketch {
		return
	}
	copy(front[:], e.Evidence)
	for i := range o.bits {
		o.bits[i] = binary.LittleEndian.Uint64(front[8*i:])
	}
	o.n = 1
}

func (x *estimator) shares() (num, den int) { return 0, 1 }

func (x *estimator) method() Method { return x.by }

func (x *estimator) begin(e *entry.Entry) { x.own = e.Evidence }

func (x *estimator) similarity(candidate *entry.Entry) Similarity {
	if candidate.Kind != entry.Sketch {
		return unlike()
	}
	num, den := x.sketch.Similarity(x.own, candidate.Evidence)
	return Similarity{Num: num, Den: den}
}
