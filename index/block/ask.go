package block

import "math/bits"

// asksAtOnce is how many lists are asked together: the processor has some 16 reads of memory under way at a time, and an
// ask makes three.
const asksAtOnce = 32

// MayAll asks the first lists for a key each, as May does, and sets the bits of is in yes[i] if list i may have keys[i]. It
// computes what it has to read before it reads, so that the processor waits for several lists at once.
func (b *Block) MayAll(keys []uint32, is uint64, yes []uint64) {
	var asks [asksAtOnce]ask
	for from := 0; from < len(keys); from += asksAtOnce {
		some := asks[:min(asksAtOnce, len(keys)-from)]
		for i := range some {
			some[i] = b.lists[from+i].ask(keys[from+i])
		}
		for i := range some {
			if some[i].may() {
				yes[from+i] |= is
			}
		}
	}
}

// ask is what a filter has to say of a key: the key may be there if the fingerprints at three places make up its own.
type ask struct {
	fingerprints []uint8
	at           [3]uint32
	own          uint8
}

func (a *ask) may() bool {
	f := a.fingerprints
	return f[a.at[0]]^f[a.at[1]]^f[a.at[2]] == a.own
}

// ask is BinaryFuse.Contains up to where it reads fingerprints (Graf and Lemire 2022, section 2).
func (l *list) ask(key uint32) ask {
	f := l.filterOf(key)
	switch {
	case f == nil:
		return ask{fingerprints: zero[:], own: 1} // no
	case len(f.Fingerprints) == 0:
		return ask{fingerprints: zero[:]} // yes
	}
	h := uint64(key) + f.Seed // mixed by MurmurHash3
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	segment, _ := bits.Mul64(h, uint64(f.SegmentCountLength))
	a := ask{fingerprints: f.Fingerprints, own: uint8(h ^ h>>32)}
	a.at[0] = uint32(segment)
	a.at[1] = a.at[0] + f.SegmentLength
	a.at[2] = a.at[1] + f.SegmentLength
	a.at[1] ^= uint32(h>>18) & f.SegmentLengthMask
	a.at[2] ^= uint32(h) & f.SegmentLengthMask
	return a
}

//nolint:gochecknoglobals // the fingerprints of a list without a filter
var zero [1]uint8
