package sketch

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
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

// simHashVersion is the version of the results of SimHash: codes and band keys. It changes when they do, and is part of
// Sketch.Algorithm.
const simHashVersion = 3

// simHashSketch implements Sketch by SimHash.
type simHashSketch struct {
	bits     int
	weighted bool
	bands    []words // the bits of each band

	tally  tally
	set    []uint64 // shingles of the document signed last, each once unless weighted
	remade []uint64 // other hashes of these shingles, for a word
	hash   words
}

// NewSimHashSketch builds a Sketch by SimHash. Equal blocks of bits find candidates, and all within the distance. The
// share of equal bits is the similarity. That is not the Jaccard similarity: unrelated documents share half of their
// bits.
func NewSimHashSketch(p SimHashParams) (Sketch, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("make simhash sketch: %w", err)
	}
	return &simHashSketch{bits: p.Bits, weighted: p.Weighted, bands: p.masks()}, nil
}

func (s *simHashSketch) Sign(shingles []uint64) {
	if !s.weighted {
		s.set = s.tally.appendDistinct(s.set[:0], shingles)
		shingles = s.set
	}
	s.hash = words{simHash(s.remake(shingles, firstSeed))}
	switch s.bits {
	case 32:
		s.hash[0] &= math.MaxUint32
	case 128:
		s.hash[1] = simHash(s.remake(shingles, secondSeed))
	}
}

// remake returns other hashes of the shingles. What verifies a pair keeps bits of the hashes themselves. If these also
// made the blocks, two short texts would be candidates whenever their evidence is equal by chance.
func (s *simHashSketch) remake(shingles []uint64, seed uint64) []uint64 {
	s.remade = slices.Grow(s.remade[:0], len(shingles))
	for _, shingle := range shingles {
		s.remade = append(s.remade, Mix(shingle^seed))
	}
	return s.remade
}

func (s *simHashSketch) Bands() int { return len(s.bands) }

func (s *simHashSketch) AppendKeys(dst []byte, scope uint64, width int) []byte {
	dst = slices.Grow(dst, len(s.bands)*width+8)
	scope = Mix(scope + blockSeed)
	for i, band := range s.bands {
		key := Mix(Mix(scope+uint64(i)^s.hash[0]&band[0]) ^ s.hash[1]&band[1])
		dst = binary.LittleEndian.AppendUint64(dst, key)[:len(dst)+width]
	}
	return dst
}

func (s *simHashSketch) Size() int { return s.bits / 8 }

// AppendCodes appends the hash itself, little endian.
func (s *simHashSketch) AppendCodes(dst []byte) []byte {
	var code [16]byte
	binary.LittleEndian.PutUint64(code[:8], s.hash[0])
	binary.LittleEndian.PutUint64(code[8:], s.hash[1])
	return append(dst, code[:s.Size()]...)
}

func (s *simHashSketch) Similarity(a, b []byte) (num, den uint32) {
	if len(a) != s.Size() || len(b) != s.Size() {
		return 0, 1
	}
	return uint32(s.bits - Hamming(a, b)), uint32(s.bits)
}

func (s *simHashSketch) Algorithm() string { return fmt.Sprintf("simhash/%d", simHashVersion) }

// Bounds of the blocks of a SimHash.
const (
	minKeyBits = 16 // with fewer bits, each key would be shared by one document in some thousands
	maxBlocks  = 16
	maxBands   = 64
)

// Two SimHashes that differ in at most d bits differ in at most d of their blocks. So of b blocks b-d are equal, and
// with a band for each choice of b-d blocks one band is equal: recall within d is complete (Manku, Jain and Das Sarma,
// "Detecting Near-Duplicates for Web Crawling", 2007, section 3). With one block more than d, each band is one block.
// More blocks make wider keys, and so fewer candidates, and more bands: so there are no more than needed.

// words holds a SimHash, or a choice of its bits; the first 64 bits are in the first word. With 32 or 64 bits the
// second word is zero.
type words [2]uint64

// blocks returns into how many blocks the bits are cut: the fewest that make keys long enough, and no more than maxBands
// of them. It is 0 where there is no such number.
func (p SimHashParams) blocks() int {
	if p.Distance < 0 || p.Distance >= maxBlocks {
		return 0
	}
	for n := p.Distance + 1; n <= maxBlocks; n++ {
		if p.keyBits(n) >= minKeyBits && p.choices(n) <= maxBands {
			return n
		}
	}
	return 0
}

// choices returns the number of choices of so many blocks but Distance of them. Each is a band.
func (p SimHashParams) choices(blocks int) int {
	count := 1
	for i := range p.Distance {
		count = count * (blocks - i) / (i + 1)
	}
	return count
}

func (p SimHashParams) bands() int { return p.choices(p.blocks()) }

// keyBits returns the least number of bits of a band. The sizes of blocks differ by one bit at most.
func (p SimHashParams) keyBits(blocks int) int {
	chosen, short := blocks-p.Distance, blocks-p.Bits%blocks
	return chosen*(p.Bits/blocks) + max(0, chosen-short)
}

// most returns the largest possible distance with this many bits.
func (p SimHashParams) most() int {
	for p.Distance = maxBlocks - 1; p.Distance > 0; p.Distance-- {
		if p.blocks() > 0 {
			break
		}
	}
	return p.Distance
}

// masks returns the bits of each band, one mask for each choice of blocks.
func (p SimHashParams) masks() []words {
	var masks []words
	blocks := p.blocks()
	for choice := range uint32(1) << blocks {
		if bits.OnesCount32(choice) == blocks-p.Distance {
			masks = append(masks, p.mask(choice, blocks))
		}
	}
	return masks
}

// mask joins the chosen blocks; block i begins at bit i x Bits / blocks.
func (p SimHashParams) mask(choice uint32, blocks int) words {
	var mask words
	for block := range blocks {
		if choice>>block&1 == 0 {
			continue
		}
		for bit := block * p.Bits / blocks; bit < (block+1)*p.Bits/blocks; bit++ {
			mask[bit/64] |= 1 << (bit % 64)
		}
	}
	return mask
}
