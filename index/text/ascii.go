package text

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Eight bytes are processed together as one little endian word, in which the first byte is the lowest.
const (
	lane  = 8                  // bytes in a word
	wide  = 4 * lane           // bytes processed with one branch
	block = 8 * lane           // bytes that one word covers with a bit each
	ones  = 0x0101010101010101 // multiplied by b, it has b in each byte
	highs = 0x80 * ones        // the high bit of each byte
)

// asciiLen returns the number of ASCII bytes at the beginning of src.
func asciiLen(src []byte) int {
	i := lenBelow(src, 0x80)
	for ; i+lane <= len(src); i += lane {
		if binary.LittleEndian.Uint64(src[i:])&highs != 0 {
			break
		}
	}
	for i < len(src) && src[i] < 0x80 {
		i++
	}
	return i
}

// lenBelow returns the length of a prefix of text without a byte of bound or more. bound must be at least 0x80. The
// prefix is not always the longest, but mostly nearly so.
func lenBelow(text []byte, bound uint64) int {
	if blocks := len(text) / block; blocks > 0 && hasAVX512() {
		return block * blocksBelow(&text[0], blocks, bound)
	} else if blocks > 0 && hasAVX2() {
		return block * pairsBelow(&text[0], blocks, bound)
	}
	i := 0
	for ; i+wide <= len(text); i += wide {
		b := text[i : i+wide]
		le := binary.LittleEndian
		if (le.Uint64(b)|le.Uint64(b[lane:])|le.Uint64(b[2*lane:])|le.Uint64(b[3*lane:]))&highs != 0 {
			break
		}
	}
	return i
}

// appendASCII appends the words of ASCII text. As in appendWhole, dst then ends with a space, unless the last word may
// continue or nothing has been appended since start.
func appendASCII(dst []byte, start int, src []byte) []byte {
	gap := gapBehind(dst, start)
	if halves := len(src) / wide; halves > 0 && hasAVX512() {
		dst = slices.Grow(dst, len(src)+block)
		return dst[:len(dst)+foldBlocks(&dst[len(dst):cap(dst)][0], &src[0], len(src), gap)]
	} else if halves > 0 && hasAVX2() {
		dst = slices.Grow(dst, len(src)+lane)
		dst = dst[:len(dst)+foldHalves(&dst[len(dst):cap(dst)][0], &src[0], halves, gap)]
		src, gap = src[halves*wide:], gapBehind(dst, start)
	}
	return foldLanes(dst, src, gap)
}

// foldLanes is the portable foldBlocks.
func foldLanes(dst, src []byte, gap uint64) []byte {
	dst = slices.Grow(dst, len(src)+lane)
	out := dst[:cap(dst)]
	to, i := len(dst), 0
	for ; i+lane <= len(src); i += lane {
		words, separators := foldASCII(binary.LittleEndian.Uint64(src[i:]))
		repeated := separators & (separators<<8 | gap)
		gap = separators >> (64 - 8)
		if repeated != 0 {
			words = squeeze(words, repeated)
		}
		binary.LittleEndian.PutUint64(out[to:], words)
		to += lane - bits.OnesCount64(repeated)
	}
	if rest := len(src) - i; rest > 0 {
		var last [lane]byte
		copy(last[:], src[i:])
		words, separators := foldASCII(binary.LittleEndian.Uint64(last[:]))
		repeated := separators & (separators<<8 | gap) & (1<<(8*rest) - 1)
		binary.LittleEndian.PutUint64(out[to:], squeeze(words, repeated))
		to += rest - bits.OnesCount64(repeated)
	}
	return out[:to]
}

// foldASCII lower-cases eight ASCII bytes, and replaces the bytes that belong to no word by spaces. In separators those
// bytes are 1 and the others 0.
func foldASCII(x uint64) (words, separators uint64) {
	lower := x | 0x20*ones // digits have that bit already
	letters := (lower + (0x80-'a')*ones) &^ (lower + (0x7f-'z')*ones)
	digits := (x + (0x80-'0')*ones) &^ (x + (0x7f-'9')*ones)
	separators = ^(letters | digits) & highs >> 7
	gaps := separators * 0xff
	return lower&^gaps | 0x20*ones&gaps, separators
}

// squeeze removes the bytes that are 1 in repeated, and moves those behind them forward.
func squeeze(words, repeated uint64) uint64 {
	for repeated != 0 {
		before := repeated&-repeated - 1
		words = words&before | words>>8&^before
		repeated = repeated & (repeated - 1) >> 8 // the remaining marks moved with the rest
	}
	return words
}
