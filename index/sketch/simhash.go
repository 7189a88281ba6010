package sketch

import (
	"encoding/binary"
	"math/bits"
)

// simHash is Charikar's SimHash, "Similarity Estimation Techniques from Rounding Algorithms" (STOC 2002), section 3: a
// bit is set if it is set in more than half of the hashes. A hash that is given twice counts twice.
func simHash(hashes []uint64) uint64 {
	var c counter
	half := uint64(len(hashes)) / 2
	for ; len(hashes) >= 8; hashes = hashes[8:] {
		c.addEight((*[8]uint64)(hashes))
	}
	for _, h := range hashes {
		c.add(h, 0)
	}
	return c.above(half)
}

// A counter counts for each of 64 bits how often it was set, for all of them at once: plane i holds the binary digit i
// of each count. There are more planes than the count of any document that fits into memory has digits.
type counter [48]uint64

// add adds 2^plane to the counts of the bits that are set in x.
func (c *counter) add(x uint64, plane int) {
	for ; x != 0; plane++ {
		c[plane], x = c[plane]^x, c[plane]&x
	}
}

// addEight adds eight hashes by a tree of adders: seven adders, and one carry into the fourth plane.
func (c *counter) addEight(h *[8]uint64) {
	ones, two1 := adder(c[0], h[0], h[1])
	ones, two2 := adder(ones, h[2], h[3])
	ones, two3 := adder(ones, h[4], h[5])
	ones, two4 := adder(ones, h[6], h[7])
	twos, four1 := adder(c[1], two1, two2)
	twos, four2 := adder(twos, two3, two4)
	fours, eight := adder(c[2], four1, four2)
	c[0], c[1], c[2] = ones, twos, fours
	c.add(eight, 3)
}

// adder adds three binary digits for each bit.
func adder(a, b, c uint64) (sum, carry uint64) {
	half := a ^ b
	return half ^ c, a&b | half&c
}

// above returns the bits whose count is greater than limit. It compares digit by digit, the highest first.
func (c *counter) above(limit uint64) uint64 {
	greater, equal := uint64(0), ^uint64(0)
	for i := len(c) - 1; i >= 0; i-- {
		digit := -(limit >> i & 1) // this digit of the limit, for all bits
		greater |= equal & c[i] &^ digit
		equal &= ^(c[i] ^ digit)
	}
	return greater
}

// Hamming counts the bits in which two codes of equal length differ. Of codes of unequal length the common front is
// compared.
func Hamming(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	distance := 0
	for ; len(a) >= 8; a, b = a[8:], b[8:] {
		distance += bits.OnesCount64(binary.LittleEndian.Uint64(a) ^ binary.LittleEndian.Uint64(b))
	}
	for i := range a {
		distance += bits.OnesCount8(a[i] ^ b[i])
	}
	return distance
}

// DistanceAt returns the greatest distance d at which 1 - d/length still reaches a threshold given in ten thousandths
// (see AtLeast). length is the bits of two SimHashes, or the runes of the longer of two texts. Thresholds below 0 count
// as 0, those above 10000 as 10000.
func DistanceAt(tenThousandths, length int) int {
	return int(int64(length) * int64(scale-min(max(tenThousandths, 0), scale)) / scale)
}
