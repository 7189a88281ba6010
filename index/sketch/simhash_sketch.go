package sketch

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// simHashVersion is the version of the results of SimHash: codes and band keys. It changes when they do, and is part of
// Sketch.Algorithm.
const simHashVersion = 3

// simHashSketch implements Sketch by SimHash.
type simHashSketch struct {
	bits     int
	weighted bool
	bands    []words // the bits of each band

	tally  tally
	set    []uint64 // shingles of the document signed last, each once unless weighted
	remade []uint64 // other hashes of these shingles, for a word
	hash   words
}

// NewSimHashSketch builds a Sketch by SimHash. Equal blocks of bits find candidates, and all within the distance. The
// share of equal bits is the similarity. That is not the Jaccard similarity: unrelated documents share half of their
// bits.
func NewSimHashSketch(p SimHashParams) (Sketch, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("make simhash sketch: %w", err)
	}
	return &simHashSketch{bits: p.Bits, weighted: p.Weighted, bands: p.masks()}, nil
}

func (s *simHashSketch) Sign(shingles []uint64) {
	if !s.weighted {
		s.set = s.tally.appendDistinct(s.set[:0], shingles)
		shingles = s.set
	}
	s.hash = words{simHash(s.remake(shingles, firstSeed))}
	switch s.bits {
	case 32:
		s.hash[0] &= math.MaxUint32
	case 128:
		s.hash[1] = simHash(s.remake(shingles, secondSeed))
	}
}

// remake returns other hashes of the shingles. What verifies a pair keeps bits of the hashes themselves. If these also
// made the blocks, two short texts would be candidates whenever their evidence is equal by chance.
func (s *simHashSketch) remake(shingles []uint64, seed uint64) []uint64 {
	s.remade = slices.Grow(s.remade[:0], len(shingles))
	for _, shingle := range shingles {
		s.remade = append(s.remade, Mix(shingle^seed))
	}
	return s.remade
}

func (s *simHashSketch) Bands() int { return len(s.bands) }

func (s *simHashSketch) AppendKeys(dst []byte, scope uint64, width int) []byte {
	dst = slices.Grow(dst, len(s.bands)*width+8)
	scope = Mix(scope + blockSeed)
	for i, band := range s.bands {
		key := Mix(Mix(scope+uint64(i)^s.hash[0]&band[0]) ^ s.hash[1]&band[1])
		dst = binary.LittleEndian.AppendUint64(dst, key)[:len(dst)+width]
	}
	return dst
}

func (s *simHashSketch) Size() int { return s.bits / 8 }

// AppendCodes appends the hash itself, little endian.
func (s *simHashSketch) AppendCodes(dst []byte) []byte {
	var code [16]byte
	binary.LittleEndian.PutUint64(code[:8], s.hash[0])
	binary.LittleEndian.PutUint64(code[8:], s.hash[1])
	return append(dst, code[:s.Size()]...)
}

func (s *simHashSketch) Similarity(a, b []byte) (num, den uint32) {
	if len(a) != s.Size() || len(b) != s.Size() {
		return 0, 1
	}
	return uint32(s.bits - Hamming(a, b)), uint32(s.bits)
}

func (s *simHashSketch) Algorithm() string { return fmt.Sprintf("simhash/%d", simHashVersion) }
