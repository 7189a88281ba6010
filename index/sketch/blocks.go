package sketch

import "math/bits"

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

// bands returns the number of bands.
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
