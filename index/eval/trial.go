package eval

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/unecho/unecho/index/sketch"
)

// Errors with which a trial gives up.
var (
	ErrCandidates = errors.New("too many candidates") // more than it is worth waiting for
	ErrPairs      = errors.New("too many pairs")      // more than there is memory for
)

// Bounds for a machine of today. More candidates would take minutes and be useless. mostPairs fit into 1 GiB; a corpus
// with more consists mostly of copies.
const (
	MostCandidates = 50_000_000
	MostPairs      = 10_000_000
)

// keyBytes is the width of band keys in a trial. It is the widest, so that keys are equal by chance only if the
// sketches are.
const keyBytes = 8

// Trial is a corpus signed by one kind of sketch.
type Trial struct {
	sketch sketch.Sketch
	bands  int
	keys   []uint64 // document x band
	codes  []byte   // document x size
	signed []bool   // false for empty documents, which are similar to none
}

// NewTrial signs a corpus; s is used until the end of the Trial. scopes are the scopes of the documents: only documents
// of the same scope become candidates, as in the service. nil means one scope for all.
func NewTrial(s sketch.Sketch, sets [][]uint64, scopes []uint64) *Trial {
	t := &Trial{
		sketch: s, bands: s.Bands(), keys: make([]uint64, 0, len(sets)*s.Bands()),
		codes: make([]byte, 0, len(sets)*s.Size()), signed: make([]bool, len(sets)),
	}
	var keys []byte
	for i, set := range sets {
		t.signed[i] = len(set) > 0
		s.Sign(set)
		scope := uint64(0)
		if scopes != nil {
			scope = scopes[i]
		}
		keys = s.AppendKeys(keys[:0], scope, keyBytes)
		for b := range t.bands {
			t.keys = append(t.keys, binary.LittleEndian.Uint64(keys[b*keyBytes:]))
		}
		t.codes = s.AppendCodes(t.codes)
	}
	return t
}

// Candidates calls yield for each pair that shares a band key, a before b, each once, until yield returns false. The
// order is always the same, but has no meaning.
func (t *Trial) Candidates(yield func(a, b int) bool) {
	type member struct {
		key      uint64
		document int32
	}
	members := make([]member, 0, len(t.signed))
	for band := range t.bands {
		members = members[:0]
		for i, signed := range t.signed {
			if signed {
				members = append(members, member{t.keys[i*t.bands+band], int32(i)})
			}
		}
		slices.SortFunc(members, func(x, y member) int {
			if x.key != y.key {
				return cmp.Compare(x.key, y.key)
			}
			return int(x.document - y.document)
		})
		for from := 0; from < len(members); {
			to := from + 1
			for to < len(members) && members[to].key == members[from].key {
				to++
			}
			for y := from + 1; y < to; y++ {
				for x := from; x < y; x++ {
					a, b := int(members[x].document), int(members[y].document)
					if !t.metBefore(a, b, band) && !yield(a, b) {
						return
					}
				}
			}
			from = to
		}
	}
}

// metBefore says whether two documents share the key of an earlier band.
func (t *Trial) metBefore(a, b, band int) bool {
	x, y := t.keys[a*t.bands:][:band], t.keys[b*t.bands:][:band]
	for i := range x {
		if x[i] == y[i] {
			return true
		}
	}
	return false
}

// Estimate returns the similarity of two documents as their sketches estimate it.
func (t *Trial) Estimate(a, b int) (num, den uint32) {
	size := t.sketch.Size()
	return t.sketch.Similarity(t.codes[a*size:][:size], t.codes[b*size:][:size])
}

// Bar is the least estimate of a duplicate: Num/Den.
type Bar struct{ Num, Den uint32 }

// AtThreshold returns the bar of a MinHash: the threshold, in ten thousandths.
func AtThreshold(threshold int) Bar { return Bar{Num: uint32(threshold), Den: Scale} }

// WithinDistance returns the bar of a SimHash, whose estimate is the share of equal bits: the share of bits that must
// be equal.
func WithinDistance(bits, distance int) Bar {
	return Bar{Num: uint32(bits - distance), Den: uint32(bits)}
}

// Reached says whether two documents are duplicates by their sketches.
func (t *Trial) Reached(bar Bar, a, b int) bool {
	num, den := t.Estimate(a, b)
	return bar.reached(num, den)
}

func (b Bar) reached(num, den uint32) bool {
	return uint64(num)*uint64(b.Den) >= uint64(b.Num)*uint64(den)
}

// Result is the result of a trial at one threshold. A pair is found at a stage if it is a candidate, if its estimate
// reaches the bar, or if it is verified exactly.
type Result struct {
	Candidates, Estimated, Verified Score
	Identical                       Score  // pairs of equal sets, which every setting finds at each stage
	Error                           Spread // absolute error of the estimate, over the candidates
	Met                             int    // candidates
}

// Against compares a trial with the truth at a threshold that is not below the truth's floor. Pairs that are labelled
// are the true ones; else those are that reach the threshold. With more than most
// candidates it gives up with ErrCandidates.
func (t *Trial) Against(truth *Truth, threshold int, bar Bar, most int) (Result, error) {
	var r Result
	t.Candidates(func(a, b int) bool {
		r.Met++
		pair := truth.Pair(a, b)
		num, den := t.Estimate(a, b)
		similar := pair.Shared > 0 && pair.AtLeast(threshold)
		is := truth.is(a, b, similar)
		r.Candidates.found(is)
		if bar.reached(num, den) {
			r.Estimated.found(is)
		}
		if similar {
			r.Verified.found(is)
		}
		if pair.Identical() {
			r.Identical.found(is)
		}
		r.Error.Add(math.Abs(pair.Similarity() - float64(num)/float64(den)))
		return r.Met <= most
	})
	if r.Met > most {
		return Result{}, t.tooMany(ErrCandidates, most)
	}
	all := truth.True(threshold)
	for _, s := range []*Score{&r.Candidates, &r.Estimated, &r.Verified} {
		s.FalseNegatives = all - s.TruePositives
	}
	return r, nil
}

// Pairs finds the candidates that are verified, sorted as Join.Pairs sorts, without the number of shared shingles. With
// more than mostCandidates, or mostPairs of 32 bytes each, it gives up with ErrCandidates or ErrPairs.
func (t *Trial) Pairs(verified func(a, b int) bool, mostCandidates, mostPairs int) ([]Pair, error) {
	var pairs []Pair
	met := 0
	t.Candidates(func(a, b int) bool {
		if met++; verified(a, b) {
			pairs = append(pairs, Pair{A: a, B: b})
		}
		return met <= mostCandidates && len(pairs) <= mostPairs
	})
	if met > mostCandidates {
		return nil, t.tooMany(ErrCandidates, mostCandidates)
	}
	if len(pairs) > mostPairs {
		return nil, t.tooMany(ErrPairs, mostPairs)
	}
	SortPairs(pairs)
	return pairs, nil
}

// Exactly verifies by the Jaccard similarity of sets, at a threshold in ten thousandths.
func Exactly(sets [][]uint64, threshold int) (verified func(a, b int) bool) {
	return func(a, b int) bool {
		shared, union := sketch.Jaccard(sets[a], sets[b])
		return shared > 0 && sketch.AtLeast(uint32(shared), uint32(union), threshold)
	}
}

func (t *Trial) tooMany(what error, most int) error {
	return fmt.Errorf("%w: more than %d for %d documents", what, most, len(t.signed))
}

// CodeBytes returns the size of a document's codes.
func (t *Trial) CodeBytes() int { return t.sketch.Size() }
