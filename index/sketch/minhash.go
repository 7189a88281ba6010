package sketch

import (
	"fmt"
	"math/bits"
)

// Version numbers what this package makes of shingle hashes: slot values, codes and band keys. It changes with them.
const Version = 1

// Bounds of the number of slots.
const (
	MinSlots = 16
	MaxSlots = 1024
)

const (
	drawBits  = 56 // below the tag of the round
	empty     = ^uint64(0)
	slotsEach = 8 // slots for one round
)

// A MinHash signs sets of shingles. It holds settings only and is safe for concurrent use.
type MinHash struct {
	slots  int
	rounds int
}

// NewMinHash makes a MinHash with an even number of slots, 16 to 1024. More slots are more exact, and larger.
func NewMinHash(slots int) (*MinHash, error) {
	if err := checkSlots(slots); err != nil {
		return nil, fmt.Errorf("make minhash: %w", err)
	}
	return &MinHash{slots: slots, rounds: max(1, slots/slotsEach)}, nil
}

// checkSlots wants an even number, so that codes of four bits fill their bytes.
func checkSlots(slots int) error {
	if slots < MinSlots || slots > MaxSlots || slots%2 != 0 {
		return fmt.Errorf("%d slots are impossible; possible is an even number from %d to %d", slots, MinSlots, MaxSlots)
	}
	return nil
}

// Slots is the number of slots.
func (m *MinHash) Slots() int { return m.slots }

// Sign fills values, one for each slot, from the shingles of a document. Their order and how often each occurs doesn't
// matter. Without shingles all values are the greatest possible: such a sketch would equal any other of its kind, so callers
// keep empty documents apart. values must have as many elements as there are slots.
func (m *MinHash) Sign(values, shingles []uint64) {
	values = values[:m.slots:m.slots]
	for i := range values {
		values[i] = empty
	}
	if len(shingles) == 0 {
		return
	}
	for round := range m.rounds {
		draw(values, shingles, uint64(round))
		if filled(values) {
			return
		}
	}
	for slot, v := range values {
		if v == empty {
			values[slot] = least(shingles, uint64(slot), uint64(m.rounds))
		}
	}
}

// draw plays one round. The minimum is taken without a branch: whether a value is the new least is a coin toss that no
// predictor guesses. A slot filled in an earlier round keeps its value, as the tag of this one is greater.
func draw(values, shingles []uint64, round uint64) {
	tag := round << drawBits
	seed := mix(round + roundSeed)
	slots := uint64(len(values))
	for _, s := range shingles {
		slot, rest := bits.Mul64(mix(s^seed), slots)
		values[slot] = min(values[slot], tag|rest>>(64-drawBits))
	}
}

// least is the fallback for a slot that no round has filled.
func least(shingles []uint64, slot, round uint64) uint64 {
	seed := mix(slot + slotSeed)
	v := empty
	for _, s := range shingles {
		v = min(v, mix(s^seed)>>(64-drawBits))
	}
	return round<<drawBits | v
}

func filled(values []uint64) bool {
	for _, v := range values {
		if v == empty {
			return false
		}
	}
	return true
}
