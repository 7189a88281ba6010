package index

// outline is a short bit set that distinguishes documents before they are compared. The number of bits that differ is
// at most the number of shingles that only one of the two documents has (for sets of hashes: an odd sketch,
// Mitzenmacher, Pagh and Pham 2014). So a document with too many differing bits can be dropped, and never wrongly. The
// fewer bits differ, the more promising a candidate is.
type outline struct {
	n    int // number of hashes; 0 if the document has no outline
	bits [outlineWords]uint64
}

const (
	outlineWords = 16
	foldWords    = outlineWords / 2
	outlineHigh  = 10 // number of highest bits of a hash that select a bit of the outline
	// outlined is the greatest number of hashes for which an outline is made. With more hashes, most bits would differ
	// by chance from those of any other document.
	outlined = 2048
)

// flip adds hashes, in ascending order, by the bits above high. A word is written when the next word begins.
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

// fold returns an outline of half the bits: the two halves combined by exclusive or. No more bits differ between two
// folds than between the outlines.
func (o *outline) fold() (fold [foldWords]uint64) {
	for i := range fold {
		fold[i] = o.bits[i] ^ o.bits[i+foldWords]
	}
	return fold
}

// half returns the first half of the bits. The second half follows from it and the fold.
func (o *outline) half() [foldWords]uint64 { return [foldWords]uint64(o.bits[:foldWords]) }
