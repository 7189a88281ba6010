package text

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// appendWords appends the xxhash64 of each word. Text that isn't normalised may have empty words between its spaces.
func appendWords(dst []uint64, text []byte) []uint64 {
	if len(text) == 0 {
		return dst
	}
	start := 0
	for at := 0; at < len(text); at += block {
		for ends := spaces(text[at:]); ends != 0; ends &= ends - 1 {
			end := at + bits.TrailingZeros64(ends)
			if end-start < 2*lane && start+2*lane <= len(text) {
				low, high := binary.LittleEndian.Uint64(text[start:]), binary.LittleEndian.Uint64(text[start+lane:])
				dst = append(dst, shortHash(low, high, uint64(end-start)))
			} else {
				dst = append(dst, xxhash.Sum64(text[start:end]))
			}
			start = end + 1
		}
	}
	return append(dst, xxhash.Sum64(text[start:]))
}

// appendChars appends a hash of each code point.
func appendChars(dst []uint64, text []byte) []uint64 {
	for len(text) > 0 {
		r, width := utf8.DecodeRune(text)
		dst = append(dst, mix(uint64(r)))
		text = text[width:]
	}
	return dst
}

// block is how many bytes spaces looks at: one for each bit.
const block = 64

// spaces has a bit set for each of the next bytes of text that is a space. Found all at once, no word waits for the one
// before it.
func spaces(text []byte) (found uint64) {
	if len(text) < block {
		for i, c := range text {
			if c == ' ' {
				found |= 1 << i
			}
		}
		return found
	}
	for i := 0; i < block; i += lane {
		x := binary.LittleEndian.Uint64(text[i:]) ^ ' '*ones
		zero := ^((x&^highs + 0x7f*ones) | x) & highs
		found |= (zero >> 7 * 0x0102040810204080 >> 56) << i // gathers the eight bits in the highest byte
	}
	return found
}

// The constants of xxhash64.
const (
	prime1 = 11400714785074694791
	prime2 = 14029467366897019727
	prime3 = 1609587929392839161
	prime4 = 9650029242287828579
	prime5 = 2870177450012600261
)

// shortHash is the xxhash64 of the n < 16 bytes in low and high. It takes all steps and keeps those that n asks for: how
// long the next word is no branch predictor knows, so that branches cost more than steps. On text that changes from document
// to document this halves the time that calls take; on one document over and over, which is learnt, it gains nothing (see
// BenchmarkSignShuffled in package sketch).
func shortHash(low, high, n uint64) uint64 {
	h, rest := prime5+n, low
	eight := bits.RotateLeft64(h^bits.RotateLeft64(low*prime2, 31)*prime1, 27)*prime1 + prime4
	if n&8 != 0 {
		h, rest = eight, high
	}
	four := bits.RotateLeft64(h^(rest&0xffffffff)*prime1, 23)*prime2 + prime3
	behind := rest >> 32
	if n&4 != 0 {
		h, rest = four, behind
	}
	one := byteStep(h, rest)
	two := byteStep(one, rest>>8)
	three := byteStep(two, rest>>16)
	if n&3 > 0 {
		h = one
	}
	if n&3 > 1 {
		h = two
	}
	if n&3 > 2 {
		h = three
	}
	h ^= h >> 33
	h *= prime2
	h ^= h >> 29
	h *= prime3
	return h ^ h>>32
}

func byteStep(h, x uint64) uint64 { return bits.RotateLeft64(h^(x&0xff)*prime5, 11) * prime1 }
