package sketch

import (
	"fmt"
	"math/bits"
)

// Bounds of the blocks of a SimHash.
const (
	minKeyBits = 16 // with fewer bits, each key would be shared by one document in some thousands
	maxBlocks  = 16
	maxBands   = 64
)

// Two SimHashes that differ in at most d bits differ in at most d of their blocks. So of b blocks b-d are equal, and
// with a band for each choice of b-d blocks one band is equal: recall within d is complete (Manku, Jain and Das Sarma,
// "Detecting Near-Duplicates for Web Crawling", 2007, section 3). With one block more than d, each band is one block.
// More blocks make wider keys, and so fewer candidates, and more bands.

// words holds a SimHash, or a choice of its bits; the first 64 bits are in the first word. With 32 or 64 bits the
// second word is zero.
type words [2]uint64

// blocks returns the number of blocks, with the default filled in.
func (p SimHashParams) blocks() int {
	if p.Blocks == 0 {
		return p.Distance + 1
	}
	return p.Blocks
}

// bands returns the number of bands: the number of choices of blocks.
func (p SimHashParams) bands() int {
	count := 1
	for i := range p.Distance {
		count = count * (p.blocks() - i) / (i + 1)
	}
	return count
}

// keyBits returns the least number of bits of a band. The sizes of blocks differ by one bit at most.
func (p SimHashParams) keyBits() int {
	chosen, short := p.blocks()-p.Distance, p.blocks()-p.Bits%p.blocks()
	return chosen*(p.Bits/p.blocks()) + max(0, chosen-short)
}

func (p SimHashParams) checkBlocks() error {
	switch {
	case p.Distance < 0:
		return fmt.Errorf("a distance of %d bits is impossible; possible is 0 to %d", p.Distance, p.most())
	case p.Blocks < 0 || p.Blocks > maxBlocks:
		return fmt.Errorf("%d blocks are impossible; possible are up to %d, or 0 for one more than the distance", p.Blocks, maxBlocks)
	case p.blocks() <= p.Distance:
		return fmt.Errorf("a distance of %d bits in %d blocks is impossible; the largest possible distance is %d", p.Distance,
			p.Blocks, p.most())
	case p.keyBits() < minKeyBits:
		return fmt.Errorf("for distance %d the %d blocks of %d bits make keys of %s, less than %d; the largest possible "+
			"distance is %d",
			p.Distance, p.blocks(), p.Bits, plural(p.keyBits(), "bit"), minKeyBits, p.most())
	case p.bands() > maxBands:
		return fmt.Errorf("for distance %d the %d blocks make %d bands, more than %d; %s",
			p.Distance, p.blocks(), p.bands(), maxBands, p.possibleBlocks())
	}
	return nil
}

// possible says whether checkBlocks finds nothing wrong, for no more than maxBlocks and a distance that is not
// negative.
func (p SimHashParams) possible() bool {
	return p.blocks() > p.Distance && p.keyBits() >= minKeyBits && p.bands() <= maxBands
}

// most returns the largest possible distance with this many bits and blocks.
func (p SimHashParams) most() int {
	for p.Distance = maxBlocks - 1; p.Distance > 0; p.Distance-- {
		if p.possible() {
			break
		}
	}
	return p.Distance
}

// possibleBlocks says which numbers of blocks make the distance possible, or if there are none, which distance these
// blocks make possible.
func (p SimHashParams) possibleBlocks() string {
	least, most, blocks := 0, 0, p.Blocks
	for p.Blocks = p.Distance + 1; p.Blocks <= maxBlocks; p.Blocks++ {
		if !p.possible() {
			continue
		}
		if most = p.Blocks; least == 0 {
			least = most
		}
	}
	switch p.Blocks = blocks; least {
	case 0:
		return fmt.Sprintf("the largest possible distance is %d", p.most())
	case most:
		return fmt.Sprintf("possible are %d blocks", most)
	}
	return fmt.Sprintf("possible are %d to %d blocks", least, most)
}

// masks returns the bits of each band, one mask for each choice of blocks.
func (p SimHashParams) masks() []words {
	var masks []words
	for choice := range uint32(1) << p.blocks() {
		if bits.OnesCount32(choice) == p.blocks()-p.Distance {
			masks = append(masks, p.mask(choice))
		}
	}
	return masks
}

// mask joins the chosen blocks; block i begins at bit i x Bits / blocks.
func (p SimHashParams) mask(choice uint32) words {
	var mask words
	for block := range p.blocks() {
		if choice>>block&1 == 0 {
			continue
		}
		for bit := block * p.Bits / p.blocks(); bit < (block+1)*p.Bits/p.blocks(); bit++ {
			mask[bit/64] |= 1 << (bit % 64)
		}
	}
	return mask
}
