package compare

import (
	"encoding/binary"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
)

// The digest of evidence made of shingles is an odd sketch of their set (Mitzenmacher, Pagh and Pham, "Efficient Estimation for
// High Similarities using Odd Sketches", 2014): 256 bits, each of which says whether the number of shingles that fall
// on it is odd. Two digests differ in at most as many bits as there are shingles that only one of the documents has.
// The digest of a sketch is the front of its codes.

// AppendOdd appends the odd sketch of a set of shingles, whose hashes are sorted. Repetitions count once.
func AppendOdd(dst []byte, sorted []uint64) []byte {
	var d entry.Digest
	for i, hash := range sorted {
		if i == 0 || hash != sorted[i-1] {
			bit := hash * 0x9e3779b97f4a7c15 >> 56
			d[bit/64] ^= 1 << (bit % 64)
		}
	}
	for _, word := range d {
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	return dst
}

// AppendFront appends the front of codes, with zeros where they are shorter.
func AppendFront(dst, codes []byte) []byte {
	var d [entry.DigestBytes]byte
	copy(d[:], codes)
	return append(dst, d[:]...)
}

// missed is the share of the pairs at a limit that the limit may rule out.
const missed = 0.001

// limitOf returns the least number that is exceeded with no more than the probability missed, given that of each
// number. The sum is rounded after each step, so that it is the same on every processor.
func limitOf(probability []float64) int {
	beyond := 0.0
	for n := len(probability) - 1; n > 0; n-- {
		if beyond += probability[n]; beyond > missed {
			return n
		}
	}
	return 0
}

// oddLimits has for a number of shingles in which two documents differ the greatest number of bits in which their odd
// sketches may differ.
type oddLimits [1024]uint16

func newOddLimits() *oddLimits {
	var l oddLimits
	odd := [2][entry.DigestBits + 2]float64{0: {0: 1}} // the probability of so many odd bits
	for n := range l {
		p, next := &odd[n%2], &odd[1-n%2]
		l[n] = uint16(limitOf(p[:]))
		*next = [entry.DigestBits + 2]float64{}
		for k := range entry.DigestBits + 1 {
			next[k+1] += float64(p[k] * float64(entry.DigestBits-k) / entry.DigestBits)
			if k > 0 {
				next[k-1] += float64(p[k] * float64(k) / entry.DigestBits)
			}
		}
	}
	return &l
}

// of returns the limit for documents that differ in so many shingles.
func (l *oddLimits) of(shingles int) int { return int(l[min(shingles, len(l)-1)]) }

// differing returns the greatest number of shingles in which a document may differ from one of so many, so that their
// Jaccard similarity is at least least: of the union, which has at most shingles / least of them, they share at least
// the share least.
func differing(shingles int, least Similarity) int {
	return shingles * int(least.Den-least.Num) / int(max(least.Num, 1))
}

// codesLimit returns the greatest number of bits in which the fronts of two sketches may differ, whose estimated
// similarity is at least least: of the codes of so many slots the digest has some.
func codesLimit(least Similarity, slots int) int {
	const size = 1 << sketch.CodeBits
	need := (uint64(least.Num)*uint64(slots*(size-1)) + uint64(least.Den)*uint64(slots)) / (uint64(least.Den) * uint64(size))
	differ := drawn(slots-int(need), slots, min(entry.DigestBits/sketch.CodeBits, slots))
	code := bitsOfCode()
	sum := make([]float64, entry.DigestBits+1) // the probability that so many bits differ
	all := []float64{1}                        // and of so many bits where a number of codes do
	for _, p := range differ {
		for n, q := range all {
			sum[n] += float64(p * q)
		}
		all = convolve(all, code)
	}
	return limitOf(sum)
}

// drawn returns the probability that of so many codes taken from all some number differs, if differ of all do: the
// hypergeometric distribution.
func drawn(differ, all, taken int) []float64 {
	p := make([]float64, taken+1)
	p[0] = 1
	for n := range taken {
		for k := n; k >= 0; k-- {
			left := float64(max(differ-k, 0)) / float64(all-n)
			p[k+1] += float64(p[k] * left)
			p[k] = float64(p[k] * (1 - left))
		}
	}
	return p
}

// bitsOfCode returns the probability that a code differs in so many bits, if it differs.
func bitsOfCode() []float64 {
	p, n := make([]float64, sketch.CodeBits+1), 1
	for k := 1; k <= sketch.CodeBits; k++ {
		n = n * (sketch.CodeBits - k + 1) / k
		p[k] = float64(n) / float64(1<<sketch.CodeBits-1)
	}
	return p
}

// convolve returns the probability of a sum. It is 0 beyond entry.DigestBits.
func convolve(a, b []float64) []float64 {
	sum := make([]float64, min(len(a)+len(b)-1, entry.DigestBits+1))
	for i, p := range a {
		for k, q := range b[:min(len(b), len(sum)-i)] {
			sum[i+k] += float64(p * q)
		}
	}
	return sum
}
