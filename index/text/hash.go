package text

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// base of the polynomial: odd, and 5 modulo 8, so that its powers differ in as many bits as those of an odd number can.
const base = 0xff51afd7ed558ccd

// mix is the finaliser of SplitMix64 (Stafford's variant 13): a bijection in which each bit depends on all.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func power(x uint64, n int) uint64 {
	p := uint64(1)
	for range n {
		p *= x
	}
	return p
}

// firstWord is the length of the word that text begins with, and its xxhash64. Most words are shorter than a lane and stay
// in a register.
func firstWord(text []byte) (end int, hash uint64) {
	if len(text) >= lane {
		// A byte equal to space becomes 0, and the lowest zero byte is the lowest one that borrows.
		word := binary.LittleEndian.Uint64(text)
		x := word ^ ' '*ones
		if zero := (x - ones) &^ x & highs; zero != 0 {
			end = bits.TrailingZeros64(zero) / 8
			return end, shortHash(word, end)
		}
	}
	end = bytes.IndexByte(text, ' ')
	if end < 0 {
		end = len(text)
	}
	return end, xxhash.Sum64(text[:end])
}

// The constants of xxhash64.
const (
	prime1 = 11400714785074694791
	prime2 = 14029467366897019727
	prime3 = 1609587929392839161
	prime5 = 2870177450012600261
)

// shortHash is xxhash64 of the low n < 8 bytes of x. It computes every step and picks those that n asks for, as the length
// of the next word is what no branch predictor knows: a third of the time of a call.
func shortHash(x uint64, n int) uint64 {
	h := prime5 + uint64(n)
	four := bits.RotateLeft64(h^(x&0xffffffff)*prime1, 23)*prime2 + prime3
	rest := x >> 32
	if n&4 == 0 {
		four, rest = h, x
	}
	one := byteStep(four, rest)
	two := byteStep(one, rest>>8)
	three := byteStep(two, rest>>16)
	h = four
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
