//go:build !purego

package text

import "golang.org/x/sys/cpu"

// hasAVX2 says whether foldHalves, wordBlocks, combineFours and pairsBelow may be called.
func hasAVX2() bool {
	return cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT
}

// hasAVX512 says whether the other kernels may be called. Intel processors have what they need since Ice Lake, AMD
// processors since Zen 4. GODEBUG may switch off avx512 or avx512f alone, which all of it rests on.
func hasAVX512() bool {
	return cpu.X86.HasAVX512 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ &&
		cpu.X86.HasAVX512VBMI2 &&
		cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT
}

// foldBlocks does what foldLanes does, for n bytes at src. It returns how many bytes it wrote to dst, which must have
// room for n + 64.
//
//go:noescape
func foldBlocks(dst, src *byte, n int, gap uint64) int

// foldHalves does what foldLanes does, for the first halves of blocks, of 32 bytes, at src, at least one. It returns how
// many bytes it wrote to dst, which must have room for all of them.
//
//go:noescape
func foldHalves(dst, src *byte, halves int, gap uint64) int

// fronts is indexed by the bytes to keep of eight, a bit for each. An element has, for each byte of the result, the
// place of the byte that comes there, and 0x80, which makes it 0, behind the last.
//
//nolint:gochecknoglobals,unused // a table that foldHalves reads
var fronts = makeFronts()

//nolint:unused // it makes the table
func makeFronts() (fronts [256]uint64) {
	for keep := range fronts {
		to, places := 0, uint64(highs)
		for place := range lane {
			if keep>>place&1 != 0 {
				places ^= (0x80 ^ uint64(place)) << (8 * to)
				to++
			}
		}
		fronts[keep] = places
	}
	return fronts
}

// wordBlocks does what hashBlock does, for the block at at and those behind it. It stops where dst has no room for 64
// more hashes, or the n bytes of text have no block and piece more.
//
//go:noescape
func wordBlocks(dst *uint64, room int, text *byte, n, at, start int) (words, nextAt, nextStart int)

// combineBlocks does what combineEach does, for the first blocks of eight shingles, at least one.
//
//go:noescape
func combineBlocks(items *uint64, blocks, size int)

// combineFours does what combineEach does, for the first fours of shingles, at least one.
//
//go:noescape
func combineFours(items *uint64, fours, size int)

// charBlocks does what hashEach does, for blocks of eight places, at least one. It reads up to a piece behind the last
// place.
//
//go:noescape
func charBlocks(dst *uint64, text *byte, blocks int, low, high uint64)

// blocksBelow returns how many of the blocks of 64 bytes at text, of which there is at least one, come before the first
// that has a byte of bound or more.
//
//go:noescape
func blocksBelow(text *byte, blocks int, bound uint64) int

// pairsBelow does what blocksBelow does, with AVX2.
//
//go:noescape
func pairsBelow(text *byte, blocks int, bound uint64) int
