package index

import (
	"math"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// verifier measures how similar an entry is to a candidate. begin is called once per entry, before its first candidate.
// Evidence that does not decode is similar to nothing: it must not stop the stream, and all members read the same bytes.
type verifier interface {
	begin(e *entry.Entry)
	similarity(candidate *entry.Entry) Similarity
	method() Method
}

func newVerifier(p Params) (verifier, error) {
	if p.Similarity.Verify == "estimate" {
		return &estimator{slots: p.Similarity.Slots, bits: p.Similarity.CodeBits}, nil
	}
	shingling, err := text.ParseShingling(p.Similarity.Shingle)
	return &exact{shingling: shingling}, err
}

// ten-thousandths that a similarity must reach.
func threshold(p Params) int { return int(math.Round(p.Similarity.Threshold * 10000)) }

// exact is the Jaccard similarity over sets of shingle hashes, from the texts.
type exact struct {
	shingling text.Shingling
	own, them []uint64
	buf       []byte
}

func (x *exact) method() Method { return Jaccard }

func (x *exact) begin(e *entry.Entry) { x.own = x.set(x.own, e) }

func (x *exact) similarity(candidate *entry.Entry) Similarity {
	x.them = x.set(x.them, candidate)
	shared, union := sketch.Jaccard(x.own, x.them)
	if shared == 0 {
		return Similarity{Den: 1}
	}
	return Similarity{Num: uint32(shared), Den: uint32(union)}
}

func (x *exact) set(dst []uint64, e *entry.Entry) []uint64 {
	if e.Kind != entry.Text {
		return dst[:0]
	}
	normalized, err := entry.DecompressText(x.buf, e.Evidence)
	if err != nil {
		return dst[:0]
	}
	x.buf = normalized
	return text.Set(x.shingling.AppendHashes(dst[:0], normalized))
}

// estimator is the corrected estimate from low-bit codes.
type estimator struct {
	slots, bits int
	own         []byte
}

func (x *estimator) method() Method { return Estimate }

func (x *estimator) begin(e *entry.Entry) { x.own = e.Evidence }

func (x *estimator) similarity(candidate *entry.Entry) Similarity {
	if candidate.Kind != entry.Sketch || len(candidate.Evidence) != len(x.own) || len(x.own) != x.slots*x.bits/8 {
		return Similarity{Den: 1}
	}
	num, den := sketch.Estimate(sketch.Matches(x.own, candidate.Evidence, x.bits), x.slots, x.bits)
	return Similarity{Num: num, Den: den}
}
