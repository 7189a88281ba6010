package index

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

// flip takes hashes in, in ascending order, by their highest bits: those above high. A word is written when the next one begins.
func (o *outline) flip(hashes []uint64, high int) {
	at, word := uint64(0), uint64(0)
	for _, hash := range hashes {
		bit := hash >> (high & 63)
		if bit/64 != at {
			o.bits[at%outlineWords] ^= word
			at, word = bit/64, 0
		}
		word ^= 1 << (bit % 64)
	}
	o.bits[at%outlineWords] ^= word
}

// fold is an outline of half as many bits, of which at most as many differ.
func (o *outline) fold() (fold [foldWords]uint64) {
	for i := range fold {
		fold[i] = o.bits[i] ^ o.bits[i+foldWords]
	}
	return fold
}

// half is one half of the bits. The fold and it give the other half.
func (o *outline) half() [foldWords]uint64 { return [foldWords]uint64(o.bits[:foldWords]) }
