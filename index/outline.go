package index

import "math/bits"

// outline is a few bits that tell documents apart before they are compared. The number of bits that differ is at most the
// number of shingles that only one of two documents has (for sets of hashes: an odd sketch, Mitzenmacher, Pagh and Pham
// 2014), so what differs in too many bits is dropped, and never wrongly; and the fewer differ, the more promising it is.
type outline struct {
	n    int // hashes; 0 is a document that cannot be told apart
	bits [outlineWords]uint64
}

const (
	outlineWords = 16
	foldWords    = outlineWords / 2
	outlineHigh  = 10 // bits of a hash, its highest, that choose one
	// outlined is the number of hashes up to which a document has an outline: of more than these most bits would differ by
	// chance from those of any other.
	outlined = 2048
)

// flip takes a hash in, by its highest bits.
func (o *outline) flip(at uint64) {
	o.bits[at/64%outlineWords] ^= 1 << (at % 64)
}

// odd is the number of bits that differ.
func (o *outline) odd(p *[outlineWords]uint64) (n int) {
	for i := range p {
		n += bits.OnesCount64(o.bits[i] ^ p[i])
	}
	return n
}

// fold is an outline of half as many bits, of which at most as many differ.
func (o *outline) fold() (half [foldWords]uint64) {
	for i := range half {
		half[i] = o.bits[i] ^ o.bits[i+foldWords]
	}
	return half
}

// oddFolds is the number of bits that differ.
func oddFolds(p, q *[foldWords]uint64) int {
	return bits.OnesCount64(p[0]^q[0]) + bits.OnesCount64(p[1]^q[1]) + bits.OnesCount64(p[2]^q[2]) + bits.OnesCount64(p[3]^q[3]) +
		bits.OnesCount64(p[4]^q[4]) + bits.OnesCount64(p[5]^q[5]) + bits.OnesCount64(p[6]^q[6]) + bits.OnesCount64(p[7]^q[7])
}
