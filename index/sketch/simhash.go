package sketch

import "math/bits"

// simHash is Charikar's ("Similarity Estimation Techniques from Rounding Algorithms", 2002, section 3): a bit is set if more
// than half of the shingles' hashes have it set.
func simHash(shingles []uint64, seed uint64) uint64 {
	var sum counter
	for _, s := range shingles {
		sum.add(mix(s ^ seed))
	}
	return sum.above(uint64(len(shingles)) / 2)
}

// A counter counts how often each of 64 bits was set: the i-th plane holds the i-th binary digit of all 64 counts.
type counter [64]uint64

func (c *counter) add(x uint64) {
	for i := 0; x != 0; i++ {
		c[i], x = c[i]^x, c[i]&x
	}
}

// above has the bits set whose count is greater than limit.
func (c *counter) above(limit uint64) uint64 {
	var greater uint64
	equal := ^uint64(0)
	for i := bits.Len64(limit|1<<40) - 1; i >= 0; i-- {
		if limit>>i&1 == 1 {
			equal &= c[i]
			continue
		}
		greater |= equal & c[i]
		equal &^= c[i]
	}
	return greater
}
