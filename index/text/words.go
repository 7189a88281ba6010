package text

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
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
