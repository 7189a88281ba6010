package sketch

import (
	"fmt"
	"math/bits"
	"slices"
)

// Version is the version of the results of MinHash: slot values, codes and band keys. It changes when they do, and is
// part of Sketch.Algorithm.
const Version = 2

// Bounds of the number of slots.
const (
	MinSlots = 16
	MaxSlots = 1024
)

const (
	drawBits  = 56 // below the tag of the round
	tagBits   = 64 - drawBits
	empty     = ^uint64(0)
	slotsEach = 8 // number of slots for each round

	// With fewer draws per slot than this, some slot is more likely to stay empty than not: the next round will be
	// needed.
	drawsEach = 5

	// With as many draws per slot as this behind, only one slot in 50 is still empty: hardly any further draw is less
	// than what its slot has.
	drawsMost = 4
)

// checkSlots accepts only an even number, so that codes of four bits fill their bytes.
func checkSlots(slots int) error {
	if slots < MinSlots || slots > MaxSlots || slots%2 != 0 {
		return fmt.Errorf("%d slots are impossible; possible is an even number from %d to %d", slots, MinSlots, MaxSlots)
	}
	return nil
}

// fill fills the values from the shingle hashes of a document. Their order, and how often each occurs, does not matter.
// Without shingles all values are the greatest possible.
//
// The hashes must be spread evenly over all of uint64, as those of xxhash are. See Mix for others.
func (s *minHashSketch) fill(shingles []uint64) {
	values := s.values
	copy(values, s.blank)
	if len(shingles) == 0 {
		return
	}
	for round := 0; round < s.rounds; {
		round += s.play(shingles, round)
		if round*len(shingles) >= len(values) && filled(values) {
			return
		}
	}
	for slot, v := range values {
		if v == empty {
			values[slot] = least(shingles, s.rounds, slot)
		}
	}
}

// play computes the next round, or the next two at once if one would not suffice, and returns how many it computed. A
// round too many changes nothing, because a value of an earlier round is less than any of a later one.
func (s *minHashSketch) play(shingles []uint64, round int) int {
	values := s.values
	if round*len(shingles) > drawsMost*len(values) {
		drawRest(values, shingles, uint64(round))
		return 1
	}
	if round+1 == s.rounds || (round+1)*len(shingles) > drawsEach*len(values) {
		drawOnce(values, shingles, uint64(round))
		return 1
	}
	drawTwice(values, shingles, uint64(round))
	return 2
}

// drawOnce computes one round. A multiplication by an odd number maps evenly spread hashes to other evenly spread
// hashes, one to one. The minimum is taken without a branch, because no predictor guesses whether a value is the new
// least.
//
// The slot is the upper half of the hash times the slots. If their number is a power of two, that is the same as a shift,
// which costs a third. These loops therefore exist twice: with the choice inside, a multiplication would cost more.
func drawOnce(values, shingles []uint64, round uint64) {
	slots, tag, factor := uint64(len(values)), round<<drawBits, factor(round)
	if shift := shiftOf(slots); shift > 0 {
		for _, s := range shingles {
			h := s * factor
			slot := h >> (shift & 63)
			values[slot] = min(values[slot], tag|h>>tagBits)
		}
		return
	}
	for _, s := range shingles {
		h := s * factor
		slot, _ := bits.Mul64(h, slots)
		values[slot] = min(values[slot], tag|h>>tagBits)
	}
}

// drawTwice computes two rounds. One loop costs less than two, in which memory and multiplications wait for each other.
func drawTwice(values, shingles []uint64, round uint64) {
	slots := uint64(len(values))
	tag1, factor1 := round<<drawBits, factor(round)
	tag2, factor2 := (round+1)<<drawBits, factor(round+1)
	if shift := shiftOf(slots); shift > 0 {
		for _, s := range shingles {
			h := s * factor1
			slot := h >> (shift & 63)
			values[slot] = min(values[slot], tag1|h>>tagBits)
			h = s * factor2
			slot = h >> (shift & 63)
			values[slot] = min(values[slot], tag2|h>>tagBits)
		}
		return
	}
	for _, s := range shingles {
		h := s * factor1
		slot, _ := bits.Mul64(h, slots)
		values[slot] = min(values[slot], tag1|h>>tagBits)
		h = s * factor2
		slot, _ = bits.Mul64(h, slots)
		values[slot] = min(values[slot], tag2|h>>tagBits)
	}
}

// drawRest computes one round when few slots are empty. It has a branch, which the predictor guesses, as it is seldom
// taken.
func drawRest(values, shingles []uint64, round uint64) {
	slots, tag, factor := uint64(len(values)), round<<drawBits, factor(round)
	if shift := shiftOf(slots); shift > 0 {
		for _, s := range shingles {
			h := s * factor
			slot := h >> (shift & 63)
			if v := tag | h>>tagBits; v < values[slot] {
				values[slot] = v
			}
		}
		return
	}
	for _, s := range shingles {
		h := s * factor
		slot, _ := bits.Mul64(h, slots)
		if v := tag | h>>tagBits; v < values[slot] {
			values[slot] = v
		}
	}
}

// shiftOf returns by how much a hash is shifted to become one of a power of two slots, and 0 for other numbers of slots.
func shiftOf(slots uint64) int {
	if slots&(slots-1) != 0 {
		return 0
	}
	return bits.LeadingZeros64(slots) + 1
}

// least returns the fallback value for a slot that no round has filled.
func least(shingles []uint64, rounds, slot int) uint64 {
	tag, factor := uint64(rounds)<<drawBits, factor(uint64(rounds+slot))
	v := empty
	for _, s := range shingles {
		v = min(v, tag|s*factor>>tagBits)
	}
	return v
}

// factor returns the multiplier of a round, or of a slot in the fallback.
func factor(i uint64) uint64 { return Mix(i+drawSeed) | 1 }

// filled says whether no slot is empty. Tags of rounds are below 128, so only an empty slot has the highest bit set.
func filled(values []uint64) bool {
	var even, odd uint64
	for i := 1; i < len(values); i += 2 {
		even |= values[i-1]
		odd |= values[i]
	}
	return (even|odd)>>63 == 0
}

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
