package compare

import "github.com/unecho/unecho/index/sketch"

// A fine key is finer than a band key. It takes part only where band keys are popular: then a document is linked
// under the first twelve of its fine keys that are not popular themselves. They are made of the evidence, so every
// member makes the same ones, and documents that are alike have most of them in common:
//
//	shingles, text   two neighbours in the order of the shingles' hashes. Sets of a Jaccard similarity J share a pair
//	                 of neighbours with a probability of some J^2.
//	sketch           some codes, which are taken from all over the sketch: 16 bits together
//
// A text with boilerplate has pairs that are common to all of its kind. These soon are popular. Of the others each has
// a shingle of the document's own. Among very long texts they say less: the lowest of n hashes have their first
// fineBits bits in common with those of others, so that pairs of unlike texts are equal: those of 10,000 shingles from
// some 20,000 documents on, those of 100,000 always. Bit sketches have no fine keys, and neither has a document of a
// single shingle. What has none is linked under its band keys, popular or not.
//
// A document all of whose fine keys are popular is linked under all its band keys as well, but for a copy: that is linked
// under those that are not popular. Of its kind there are many, which the next one finds.
const (
	fineBits = 20 // of a hash: as many as evidence has at least
	fineCode = 16 // bits of codes in a fine key
)

// FineKey makes a fine key.
func FineKey(scope, a, b uint64) uint64 { return (a<<fineBits | b) ^ scope*0xff51afd7ed558ccd }

// appendPairs appends the fine keys of hashes of so many bits, which are sorted. Repetitions of a shingle make no pair.
func appendPairs(dst []uint64, scope uint64, sorted []uint64, width int) []uint64 {
	drop := uint(max(width-fineBits, 0)) & 63
	for i := 1; i < min(len(sorted), overlapChunk); i++ {
		if a, b := sorted[i-1]>>drop, sorted[i]>>drop; a != b {
			dst = append(dst, FineKey(scope, a, b))
		}
	}
	return dst
}

// appendGroups appends the fine keys of codes.
func appendGroups(dst []uint64, scope uint64, codes []byte) []uint64 {
	const together = fineCode / sketch.CodeBits
	groups := 8 * len(codes) / fineCode
	for g := range min(groups, overlapChunk) {
		key := uint64(0)
		for k := range together {
			i := g + k*groups
			key = key<<sketch.CodeBits | uint64(codes[i/2]>>(i%2*sketch.CodeBits))&0xf
		}
		dst = append(dst, FineKey(scope, uint64(g), key))
	}
	return dst
}
