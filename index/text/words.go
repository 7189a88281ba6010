package text

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// appendWords appends the hash of each word. Text that is not normalised may have empty words between its spaces.
func appendWords(dst []uint64, text []byte) []uint64 {
	if len(text) == 0 {
		return dst
	}
	dst, rest := appendBlocks(dst, text)
	if len(rest) >= block+piece { // the first word may be long
		end := bytes.IndexByte(rest, ' ')
		if end < 0 {
			return append(dst, hash(rest, 0, len(rest)))
		}
		dst, rest = append(dst, hash(rest, 0, end)), rest[end+1:]
	}
	var padded [2*block + piece]byte
	padded[copy(padded[:], rest)] = ' '
	dst, _ = appendBlocks(dst, padded[:])
	return dst
}

// appendBlocks appends the hashes of the words that end with a space, up to somewhere in the last block+piece bytes.
// rest is the text behind the last of these spaces.
func appendBlocks(dst []uint64, text []byte) (hashes []uint64, rest []byte) {
	at, start := 0, 0
	for at+block+piece <= len(text) {
		dst = slices.Grow(dst, block)
		room, n := dst[len(dst):cap(dst)], 0
		if hasAVX2() {
			n, at, start = wordBlocks(&room[0], len(room), &text[0], len(text), at, start)
		} else {
			n, start = hashBlock(room, text, at, start)
			at += block
		}
		dst = dst[:len(dst)+n]
	}
	return dst, text[start:]
}

// hashBlock hashes the words that end in the block at at. The first of them begins at start. It returns their number,
// and where the next word begins.
func hashBlock(dst []uint64, text []byte, at, start int) (n, next int) {
	dst = dst[:block]
	for ends := spaces(text[at:]); ends != 0; ends &= ends - 1 {
		end := at + bits.TrailingZeros64(ends)
		if end-start <= piece {
			dst[n&(block-1)] = short(text[start:start+piece], end-start)
		} else {
			dst[n&(block-1)] = hash(text, start, end)
		}
		n++
		start = end + 1
	}
	return n, start
}

// spaces returns a bit set for each of the first 64 bytes of text that is a space. All are found at once, so that no
// word waits for the one before it.
func spaces(text []byte) (found uint64) {
	for i := 0; i < block; i += lane {
		x := binary.LittleEndian.Uint64(text[i:]) ^ ' '*ones
		zero := ^((x&^highs + 0x7f*ones) | x) & highs
		found |= (zero >> 7 * 0x0102040810204080 >> 56) << i // gathers the eight bits in the highest byte
	}
	return found
}

// Cut returns at most the first bytes of a text, and ends at the end of a code point.
func Cut[T string | []byte](text T, most int) T {
	if len(text) <= most {
		return text
	}
	at := most
	for at > max(0, most-utf8.UTFMax) && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at]
}

// appendChars appends the hash of each run of size code points, or of the whole text if it has fewer.
func appendChars(dst []uint64, text []byte, size int) []uint64 {
	if len(text) == 0 {
		return dst
	}
	from, to := 0, 0
	for i := 0; i < size && to < len(text); i++ {
		to = behind(text, to)
	}
	for {
		if steps := asciiSteps(text, from, to, size); steps > 0 {
			dst = appendASCIIChars(dst, text[from:], steps, size)
			from, to = from+steps, to+steps
		}
		dst = append(dst, mix(hash(text, from, to)))
		if to >= len(text) {
			return dst
		}
		from, to = behind(text, from), behind(text, to)
	}
}

// behind returns where the code point at i ends, judged by its first byte. It therefore also ends in text that is not
// valid UTF-8.
func behind(text []byte, i int) int {
	const widths uint64 = 0x4322_1111_1111_1111 // indexed by the upper half of the first byte
	return min(i+int(widths>>(text[i]>>4*4)&0xf), len(text))
}

// asciiSteps returns how many times the run of size code points between from and to can advance by one byte before it
// meets a code point that is not ASCII, where a piece of text must still be readable behind its beginning. It returns 0
// if the number is too small to be worth it.
func asciiSteps(text []byte, from, to, size int) int {
	if to-from != size || to+lane > len(text) || binary.LittleEndian.Uint64(text[to:])&highs != 0 {
		return 0
	}
	return min(asciiLen(text[to:]), len(text)-piece-from)
}

// appendASCIIChars appends the hash of size bytes at each of the first steps places of text.
func appendASCIIChars(dst []uint64, text []byte, steps, size int) []uint64 {
	dst = slices.Grow(dst, steps)
	room := dst[len(dst) : len(dst)+steps]
	if size > piece {
		for i := range room {
			room[i] = mix(hash(text, i, i+size))
		}
		return dst[:len(dst)+steps]
	}
	done, mask := 0, &masks[size]
	if blocks := steps / lane; blocks > 0 && hasAVX512() {
		charBlocks(&room[0], &text[0], blocks, mask[0], mask[1])
		done = blocks * lane
	}
	hashEach(room[done:], text[done:], mask)
	return dst[:len(dst)+steps]
}

// hashEach hashes, at each of the first places of text, the bytes that mask keeps.
func hashEach(dst []uint64, text []byte, mask *[2]uint64) {
	for i := range dst {
		b := text[i : i+piece]
		low, high := binary.LittleEndian.Uint64(b)&mask[0], binary.LittleEndian.Uint64(b[lane:])&mask[1]
		dst[i] = mix(fold(low^secret0, high^secret1))
	}
}
