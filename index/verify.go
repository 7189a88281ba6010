package index

import (
	"encoding/binary"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// verifier measures the similarity of an entry and a candidate. begin is called once per entry, before its first
// candidate. The similarity of a pair below the threshold may be returned too low. Evidence that does not decode is
// similar to nothing: it must not stop the stream, and all members read the same bytes.
type verifier interface {
	begin(e *entry.Entry)
	similarity(candidate *entry.Entry) Similarity
	method() Method
	// cost is the most that comparing two entries takes, in steps of similarity.max_work. spent is the part of it that
	// counts, given the similarity that was found. Both depend on the entries alone, not on the work really done.
	cost(own, candidate *entry.Entry) int
	spent(cost int, s Similarity) int
	outliner
}

// outliner makes outlines, which distinguish candidates before they are compared. A verifier without outlines embeds
// plain.
type outliner interface {
	// outlines says whether e has an outline.
	outlines(e *entry.Entry) bool
	// hashes returns the number of hashes in the outline of an entry.
	hashes(e *entry.Entry) int
	// outline makes the outline of an entry that has one.
	outline(e *entry.Entry, o *outline)
	// shares returns the least share num / den of hashes that two documents must have in common, of the sum of their
	// numbers of hashes.
	shares() (num, den int)
}

// flat is embedded by a verifier whose whole cost counts.
type flat struct{}

func (flat) spent(cost int, _ Similarity) int { return cost }

// plain is embedded by a verifier that has no outlines.
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

// unlike is the similarity of a pair that cannot be compared, or is not similar enough.
func unlike() Similarity { return Similarity{Den: 1} }

// jaccard is the Jaccard similarity of the hashes of shingles, from evidence of the kind Text.
type jaccard struct {
	shingling text.Shingling
	weighted  bool
	sorter    text.Sorter
	own, them []uint64
	text      []byte
	flat
	plain
}

// textSteps is the cost of a byte of text, in steps: it is decompressed, and its shingles are hashed and sorted.
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

// estimator verifies by the sketches, from evidence of the kind Sketch.
type estimator struct {
	sketch sketch.Sketch
	by     Method
	own    []byte
	flat
}

func (x *estimator) cost(_, _ *entry.Entry) int { return 1 }

func (x *estimator) outlines(e *entry.Entry) bool { return e.Kind == entry.Sketch }

func (x *estimator) hashes(*entry.Entry) int { return 1 }

// outline is the front of the sketch. The more of its bits differ, the less similar the documents probably are.
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
