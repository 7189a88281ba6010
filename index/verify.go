package index

import (
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
}

func newVerifier(p SimilarityParams, s sketch.Sketch) (verifier, error) {
	kind := p.evidence()
	if kind == entry.Sketch {
		return &estimator{sketch: s, by: estimateBy(p)}, nil
	}
	if kind == entry.Shingles {
		return &overlap{least: p.least()}, nil
	}
	if p.Verify == "levenshtein" {
		return &levenshtein{least: int(p.least().Num)}, nil
	}
	shingling, err := p.Shingling()
	return &jaccard{shingling: shingling, weighted: p.Weighted}, err
}

func estimateBy(p SimilarityParams) Method {
	if p.Sketch == "simhash" {
		return Hamming
	}
	return Estimate
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
}

func (x *estimator) method() Method { return x.by }

func (x *estimator) begin(e *entry.Entry) { x.own = e.Evidence }

func (x *estimator) similarity(candidate *entry.Entry) Similarity {
	if candidate.Kind != entry.Sketch {
		return unlike()
	}
	num, den := x.sketch.Similarity(x.own, candidate.Evidence)
	return Similarity{Num: num, Den: den}
}
