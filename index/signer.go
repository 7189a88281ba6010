package index

import (
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

// Signer turns texts into entries. It is pure but not safe for concurrent use: each goroutine has its own.
type Signer struct {
	normalizer *text.Normalizer
	shingling  text.Shingling
	sketch     sketch.Sketch
	width      int // bytes of a band key
	evidence   entry.Kind
	weighted   bool
	kept       int // bytes of a text, at most

	sorter     text.Sorter
	normalized []byte
	shingles   []uint64
	arena      []byte // of the entries since Reset
}

// NewSigner builds a signer for valid Params.
func NewSigner(p Params) (*Signer, error) {
	shingling, err := p.Similarity.Shingling()
	if err != nil {
		return nil, fmt.Errorf("build signer: %w", err)
	}
	sketch, err := p.Similarity.NewSketch()
	if err != nil {
		return nil, fmt.Errorf("build signer: %w", err)
	}
	return &Signer{
		normalizer: text.NewNormalizer(p.Text), shingling: shingling, sketch: sketch, width: p.Similarity.KeyBytes,
		evidence: p.Similarity.evidence(), weighted: p.Similarity.Weighted,
		kept: keptText(p.Similarity),
	}, nil
}

func keptText(p SimilarityParams) int {
	if p.Verify == "levenshtein" {
		return ComparedText
	}
	return entry.MaxText
}

// Sign fills Content, Keys, Kind and Evidence of e from the text and e.Scope. A text without a single shingle leaves e
// empty. The slices live until Reset. It returns false for a text that is longer than entry.MaxText when normalised: such a
// document has no entry.
func (s *Signer) Sign(e *entry.Entry, document []byte) bool {
	e.Kind, e.Content, e.Keys, e.Evidence = entry.None, 0, nil, nil
	s.normalized = s.normalizer.Append(s.normalized[:0], document)
	if len(s.normalized) > entry.MaxText {
		return false
	}
	s.shingles = s.shingling.AppendHashes(s.shingles[:0], s.normalized)
	if len(s.shingles) == 0 {
		return true
	}
	e.Kind, e.Content = s.evidence, xxhash.Sum64(s.normalized)
	if s.evidence == entry.Shingles {
		s.shingles = sorted(&s.sorter, s.shingles, s.weighted)
	}
	s.sketch.Sign(s.shingles)
	from := len(s.arena)
	s.arena = s.sketch.AppendKeys(s.arena, e.Scope, s.width)
	e.Keys, from = s.arena[from:len(s.arena):len(s.arena)], len(s.arena)
	s.arena = s.appendEvidence(s.arena)
	e.Evidence = s.arena[from:len(s.arena):len(s.arena)]
	return true
}

func (s *Signer) appendEvidence(dst []byte) []byte {
	if s.evidence == entry.Shingles {
		return entry.AppendShingles(dst, s.shingles)
	}
	if s.evidence == entry.Text {
		return entry.AppendText(dst, cut(s.normalized, s.kept))
	}
	return s.sketch.AppendCodes(dst)
}

// Reset lets the memory of all entries signed so far be used again. When it grows, what was cut from it before stays where
// it was.
func (s *Signer) Reset() { s.arena = s.arena[:0] }

// sorted sorts the hashes of shingles in place: to a set, or if weighted to a list in which each stands as often as it occurs.
func sorted(s *text.Sorter, shingles []uint64, weighted bool) []uint64 {
	if weighted {
		slices.Sort(shingles)
		return shingles
	}
	return s.Set(shingles)
}
