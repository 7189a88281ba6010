package sketch

import (
	"fmt"
	"slices"
)

// minHashSketch implements Sketch by MinHash.
type minHashSketch struct {
	banding  Banding
	weighted bool
	rounds   int
	blank    []uint64 // the values of a document without shingles

	values   []uint64 // of the document signed last, one for each slot
	tally    tally
	elements []uint64 // if weighted: its shingles, one element per occurrence
}

// NewMinHashSketch builds a Sketch by MinHash. Banded slot values find candidates. Low-bit codes of them estimate the
// Jaccard similarity of the sets of shingles, or of the multisets if weighted. More slots make sketches more exact, and
// larger.
func NewMinHashSketch(p MinHashParams) (Sketch, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("make minhash sketch: %w", err)
	}
	return &minHashSketch{
		banding: p.Banding, weighted: p.Weighted, rounds: max(1, p.Slots/slotsEach),
		blank: slices.Repeat([]uint64{empty}, p.Slots), values: make([]uint64, p.Slots),
	}, nil
}

func (s *minHashSketch) Sign(shingles []uint64) {
	if s.weighted {
		s.elements = s.tally.appendOccurrences(s.elements[:0], shingles)
		shingles = s.elements
	}
	s.fill(shingles)
}

func (s *minHashSketch) Bands() int { return s.banding.Bands }

func (s *minHashSketch) AppendKeys(dst []byte, scope uint64, width int) []byte {
	return s.banding.AppendKeys(dst, s.values, scope, width)
}

func (s *minHashSketch) Size() int { return len(s.values) * CodeBits / 8 }

func (s *minHashSketch) AppendCodes(dst []byte) []byte { return AppendCodes(dst, s.values) }

func (s *minHashSketch) Similarity(a, b []byte) (num, den uint32) {
	if len(a) != s.Size() || len(b) != s.Size() {
		return 0, 1
	}
	return Estimate(Matches(a, b), len(s.values))
}

func (s *minHashSketch) Algorithm() string { return fmt.Sprintf("minhash/%d", Version) }
