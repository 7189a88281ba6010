package text

import (
	"crypto/sha1" // not used for security
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/twmb/murmur3"
)

// A Hash selects how shingles become numbers. The zero Hash is XXHash.
type Hash uint8

// The hashes that the package comment describes.
const (
	XXHash Hash = iota
	Murmur3
	XXH64
	SHA1
)

// HashNames returns the names of all hashes, in the order of their numbers.
func HashNames() []string { return []string{"xxhash", "murmur3", "xxh64", "sha1"} }

// ParseHash reads the name of a hash.
func ParseHash(s string) (Hash, error) {
	at := slices.Index(HashNames(), s)
	if at < 0 {
		return XXHash, fmt.Errorf("parse hash %q: possible are %s", s, strings.Join(HashNames(), ", "))
	}
	return Hash(at), nil
}

// String returns the name that ParseHash reads.
func (h Hash) String() string { return HashNames()[h] }

// published hashes a shingle's text, for every hash but XXHash, which combines the hashes of words.
func (h Hash) published(shingle []byte) uint64 {
	switch h {
	case Murmur3:
		return murmur3.Sum64(shingle)
	case SHA1:
		sum := sha1.Sum(shingle)
		return binary.LittleEndian.Uint64(sum[:])
	case XXH64, XXHash:
	}
	return xxhash.Sum64(shingle)
}

const (
	// base is the base of the polynomial. It is odd, and 5 modulo 8, so that its powers differ in as many bits as those
	// of an odd number can.
	base = 0xff51afd7ed558ccd
	// The first sixteen bytes of XXH3's secret, and the multiplier of its last step. As no UTF-8 begins with 0xb8, the
	// first factor of short is never 0, which would hide the other one.
	secret0 = 0xbe4ba423396cfeb8
	secret1 = 0x1cad21f72c81017c
	spread  = 0x165667919e3779f9
	// piece is the number of bytes that one multiplication takes in.
	piece = 16
)

// masks keep the first n of sixteen bytes, for n up to 16. The rest of the table exists so that n&31 needs no bounds
// check, and because wordBlocks reads into it.
//
//nolint:gochecknoglobals // a table
var masks = [32][2]uint64{
	1: {1<<8 - 1}, 2: {1<<16 - 1}, 3: {1<<24 - 1}, 4: {1<<32 - 1}, 5: {1<<40 - 1}, 6: {1<<48 - 1}, 7: {1<<56 - 1},
	8: {1<<64 - 1},
	9: {1<<64 - 1, 1<<8 - 1}, 10: {1<<64 - 1, 1<<16 - 1}, 11: {1<<64 - 1, 1<<24 - 1}, 12: {1<<64 - 1, 1<<32 - 1},
	13: {1<<64 - 1, 1<<40 - 1}, 14: {1<<64 - 1, 1<<48 - 1}, 15: {1<<64 - 1, 1<<56 - 1}, 16: {1<<64 - 1, 1<<64 - 1},
}

// short hashes the first n <= 16 bytes of b, which has sixteen.
func short(b []byte, n int) uint64 {
	m := &masks[n&31]
	return fold(binary.LittleEndian.Uint64(b)&m[0]^secret0, binary.LittleEndian.Uint64(b[lane:])&m[1]^secret1)
}

// hash hashes the bytes from start to end: a word, or a run of code points.
func hash(text []byte, start, end int) uint64 {
	var sum uint64
	for ; end-start > piece; start += piece {
		b := text[start : start+piece]
		sum = (sum + fold(binary.LittleEndian.Uint64(b)^secret0, binary.LittleEndian.Uint64(b[lane:])^secret1)) * spread
	}
	if start+piece <= len(text) {
		return sum + short(text[start:start+piece], end-start)
	}
	var padded [piece]byte
	return sum + short(padded[:], copy(padded[:], text[start:end]))
}

// fold xors the two halves of the product.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// mix is the last step of a shingle's hash, as of XXH3's. It makes every bit of the result depend on many.
func mix(x uint64) uint64 {
	x ^= x >> 37
	x *= spread
	return x ^ x>>32
}

func power(x uint64, n int) uint64 {
	p := uint64(1)
	for range n {
		p *= x
	}
	return p
}
