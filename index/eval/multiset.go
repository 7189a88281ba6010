package eval

import "slices"

// Distinct turns a sorted multiset into a set: the second and each later occurrence of a shingle becomes a shingle of
// its own, so that the Jaccard similarity of two sets is that of their multisets. Two different shingles become equal
// with a probability of about 2^-64.
func Distinct(multiset []uint64) []uint64 {
	set := slices.Clone(multiset)
	occurrence := uint64(0)
	for i := 1; i < len(multiset); i++ {
		if occurrence++; multiset[i] != multiset[i-1] {
			occurrence = 0
		}
		set[i] ^= occurrence * odd
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// odd spreads small numbers over 64 bits: 2^64 divided by the golden ratio (Knuth, "The Art of Computer Programming",
// 6.4).
const odd = 0x9e3779b97f4a7c15
