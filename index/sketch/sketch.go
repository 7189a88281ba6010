package sketch

import "fmt"

// A Sketch signs documents, one after the other, and compares what was kept of them. MinHash and SimHash both implement
// it, so code that finds and verifies candidates need not know which it has.
//
// It holds the document signed last, so each goroutine has its own. Sketches of one kind with equal Params yield equal
// keys and codes.
type Sketch interface {
	// Sign replaces the document by one with these shingle hashes, which it neither changes nor keeps. Their order does
	// not matter. How often each occurs matters only in weighted sketches. A document without shingles would equal any
	// other without, so callers must treat empty documents separately.
	Sign(shingles []uint64)

	// Bands returns the number of band keys of each document.
	Bands() int

	// AppendKeys appends the document's band keys, width bytes each (4 to 8, little endian). Two documents of the same
	// scope are candidates if any keys of the same band are equal; keys of different bands or scopes are equal by
	// chance only.
	AppendKeys(dst []byte, scope uint64, width int) []byte

	// Size returns the number of bytes that AppendCodes appends.
	Size() int

	// AppendCodes appends the document's codes, which Similarity compares.
	AppendCodes(dst []byte) []byte

	// Similarity estimates from their codes how similar two documents are, as an exact fraction num/den from 0 to 1. It
	// does not change the document signed last. Codes that are not Size bytes long are similar to nothing: 0/1.
	Similarity(a, b []byte) (num, den uint32)

	// Algorithm returns the name and version of the function from shingles to keys and codes, such as "minhash/2".
	// Settings are not part of it.
	Algorithm() string
}

// MinHashParams are the settings of a MinHash sketch.
type MinHashParams struct {
	Slots    int     // an even number, 16 to 1024
	Banding  Banding // bands of the slots, from Plan or chosen by hand; at most Slots in all
	Weighted bool    // shingles count as often as they occur: the similarity is that of multisets
}

// Validate says what is impossible, and what would be possible.
func (p MinHashParams) Validate() error {
	if err := checkSlots(p.Slots); err != nil {
		return err
	}
	return p.Banding.Validate(p.Slots)
}

// SimHashParams are the settings of a SimHash sketch.
type SimHashParams struct {
	Bits     int  // 32, 64 or 128
	Distance int  // documents whose sketches differ in up to this many bits become candidates; see DistanceAt
	Weighted bool // shingles count as often as they occur
}

// Validate says what is impossible, and what would be possible.
func (p SimHashParams) Validate() error {
	if err := checkSize(p.Bits); err != nil {
		return err
	}
	if p.blocks() == 0 {
		return fmt.Errorf("a distance of %d of %d bits is impossible by keys; possible is 0 to %d", p.Distance, p.Bits, p.most())
	}
	return nil
}

// Seeds keep the kinds of hashes apart. They are the first decimals of pi, as in Blowfish, which shows that they were
// not chosen for a purpose.
const (
	drawSeed   = 0x243f6a8885a308d3
	bandSeed   = 0xa4093822299f31d0
	blockSeed  = 0xbe5466cf34e90c6c
	firstSeed  = 0x3f84d5b5b5470917
	secondSeed = 0xc0ac29b7c97c50dd
)

// Multipliers, odd and without structure, from the same decimals.
const (
	rowFactor        = 0x13198a2e03707345
	codeFactor       = 0x082efa98ec4e6c89
	occurrenceFactor = 0x452821e638d01377
)

// Mix is the finaliser of SplitMix64 (Stafford's variant 13). It is one to one, and each bit of the result depends on
// all. Pass shingle hashes from a weak function, such as FNV or a running number, through it before they are signed.
// Those of xxhash, murmur3 or package text do not need it.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
