package sketch

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// CodeBits are kept of each slot. Two slots that differ have equal codes once in 16 times; some more slots make up for
// that, in fewer bytes than wider codes.
const CodeBits = 4

// lows has all bits of each code set except its highest.
const lows = 0x7777777777777777

// AppendCodes appends the low CodeBits of a remix of each value. That is all the estimate needs of a sketch; it cannot
// use the low bits of the values themselves, since these are minima and all small. Codes are packed little endian, the
// first slot lowest:
//
//	┌────────┬────────┬───
//	│ slot 0 │ slot 1 │ …     slots / 2 bytes
//	└────────┴────────┴───
//
// The number of values must be even.
func AppendCodes(dst []byte, values []uint64) []byte {
	from := len(dst)
	dst = slices.Grow(dst, len(values)/2)[:from+len(values)/2]
	codes := dst[from:]
	for i := range codes {
		codes[i] = byte(remix(values[2*i])&0xf | remix(values[2*i+1])<<4)
	}
	return dst
}

// remix returns the highest bits of a product, which depend on the whole value.
func remix(value uint64) uint64 { return value * codeFactor >> 48 }

// Matches counts the slots whose codes are equal. a and b must come from AppendCodes with the same number of slots. Of
// codes of unequal length the common front is compared.
func Matches(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	count := 0
	i := 0
	for ; i+8 <= n; i += 8 {
		count += equal(binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]))
	}
	if i < n {
		var x, y [8]byte
		copy(x[:], a[i:])
		copy(y[:], b[i:])
		padding := (8 - (n - i)) * 8 / CodeBits // padding is equal in both, but is no slot
		count += equal(binary.LittleEndian.Uint64(x[:])^binary.LittleEndian.Uint64(y[:])) - padding
	}
	return count
}

// equal counts the codes that are zero in x. The sum carries into a code's highest bit if any of the lower ones is set,
// and never beyond.
func equal(x uint64) int {
	return bits.OnesCount64(^((x&lows + lows) | x | lows))
}

// Estimate returns the Jaccard similarity that this many matching codes of slots indicate, as an exact fraction. Two
// codes of different values are equal by chance once in 2^bits, which is subtracted (Li and König, "b-Bit Minwise
// Hashing", 2010).
//
//	(matches/slots - 2^-bits) / (1 - 2^-bits), at least 0
//
// slots must be at most MaxSlots, so that both parts fit.
func Estimate(matches, slots int) (num, den uint32) {
	num = uint32(max(0, matches<<CodeBits-slots))
	den = uint32(slots * (1<<CodeBits - 1))
	return num, den
}

// StandardError returns the standard error of Estimate for pairs of this Jaccard similarity: the square root of
// m(1-m)/slots / (1-2^-bits), where m is the share of codes that are equal. Of texts of up to 100 shingles the error is
// less (TestAccuracyTable).
func StandardError(jaccard float64, slots int) float64 {
	chance := math.Ldexp(1, -CodeBits)
	equal := jaccard + (1-jaccard)*chance
	return math.Sqrt(equal*(1-equal)/float64(slots)) / (1 - chance)
}

// scale is the denominator of a threshold: ten thousandths.
const scale = 10000

// Jaccard counts the elements that two sorted sets share, and those of their union. The similarity is shared/union; two
// empty sets have no union and are not similar (see AtLeast). Lists with repetitions count as multisets: an element
// that occurs twice in one and three times in the other counts twice as shared and three times in the union.
func Jaccard(a, b []uint64) (shared, union int) {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		if x == y {
			shared++
		}
		if x <= y {
			i++
		}
		if y <= x {
			j++
		}
	}
	return shared, len(a) + len(b) - shared
}

// AtLeast says whether num/den reaches a threshold given in ten thousandths. It computes in integers, so that every
// replica decides alike. 0/0 reaches no threshold.
func AtLeast(num, den uint32, tenThousandths int) bool {
	if den == 0 {
		return false
	}
	return tenThousandths <= 0 || uint64(num)*scale >= uint64(tenThousandths)*uint64(den)
}
