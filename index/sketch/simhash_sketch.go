package sketch

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// simHashVersion numbers what a SimHash makes of shingle hashes.
const simHashVersion = 1

// simHashSketch is SimHash behind the common contract.
type simHashSketch struct {
	bits     int
	weighted bool
	bands    []words // the bits of each

	hash words    // of the document signed last
	set  []uint64 // its shingles without repetitions, unless weighted
}

// NewSimHashSketch makes a Sketch by SimHash: equal blocks of bits find candidates, completely within the distance, and the
// share of equal bits is the similarity. It is not the Jaccard similarity: unrelated documents share half of their bits.
func NewSimHashSketch(p SimHashParams) (Sketch, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("make simhash sketch: %w", err)
	}
	return &simHashSketch{bits: p.Bits, weighted: p.Weighted, bands: p.masks()}, nil
}

func (s *simHashSketch) Sign(shingles []uint64) {
	if !s.weighted {
		s.set = append(s.set[:0], shingles...)
		slices.Sort(s.set)
		s.set = slices.Compact(s.set)
		shingles = s.set
	}
	s.hash = words{simHash(shingles, lowSeed)}
	switch s.bits {
	case 32:
		s.hash[0] &= 1<<32 - 1
	case 128:
		s.hash[1] = simHash(shingles, highSeed)
	}
}

func (s *simHashSketch) Bands() int { return len(s.bands) }

func (s *simHashSketch) AppendKeys(dst []byte, scope uint64, width int) []byte {
	dst = slices.Grow(dst, len(s.bands)*width+8)
	scope = mix(scope + blockSeed)
	for i, band := range s.bands {
		key := mix(mix(scope+uint64(i)^s.hash[0]&band[0]) ^ s.hash[1]&band[1])
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

// Hamming counts the bits in which a and b differ. They are equally long.
func Hamming(a, b []byte) int {
	distance := 0
	for i, x := range a {
		distance += bits.OnesCount8(x ^ b[i])
	}
	return distance
}

// DistanceAt is the greatest Hamming distance of two SimHashes whose similarity, 1 - distance/bits, reaches a threshold given
// in ten thousandths; 0 if none does.
func DistanceAt(tenThousandths, bits int) int {
	return max(0, bits*(scale-tenThousandths)/scale)
}
