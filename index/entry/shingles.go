package entry

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// Version is the version of what an entry keeps of a document: of AppendShingles and of digests. It changes when they do.
const Version = 3

// minWidth is the least number of bits kept of a hash.
const minWidth = 20

// Of a text of one or two shingles a single hash decides, and a window has millions of such texts. So all of a hash is
// kept that fits into a remainder of mostRemainder bits: the more could not be read by eight bytes at a time.
const (
	fewHashes     = 2
	mostRemainder = 57
)

// width returns how many bits are kept of each of n hashes: the least number with 2^width >= 4 n^2. Two sets of n and m
// >= n hashes are compared in the width of the smaller one. There, hashes that they do not share are expected to be
// equal by chance at most n m / 2^width times: 1/4 for sets of one size, 1/2 where one is twice as large as the other.
func width(n int) int {
	if n <= fewHashes {
		return mostRemainder + bits.Len(uint(n-1))
	}
	return max(minWidth, bits.Len64(4*uint64(n)*uint64(n)-1))
}

// remainder returns how many bits of a difference are in the fixed part: the mean difference is between 2^remainder and
// twice that.
func remainder(n int) int { return width(n) - bits.Len(uint(n-1)) }

// AppendShingles appends the evidence of the kind Shingles, from hashes sorted ascending: a set, or a list whose
// repetitions are kept. Of each hash it keeps the upper bits, as many as the number of hashes requires. The differences
// between neighbours are Rice-coded (Rice and Plaunt 1971), with the two parts of each apart, so that a reader need not
// wait for one to find the next:
//
//	┌─────────┬───────────────────────┬──────────────────────────────────┐
//	│ n       │ remainders            │ quotients                        │   bits of both from the lowest of each byte on
//	│ uvarint │ n x k bits, to a byte │ n times: as many zeros, then one │   difference = quotient << k + remainder
//	└─────────┴───────────────────────┴──────────────────────────────────┘
//	3 to 512 shingles: 20 bits are kept, about 13 written; of 1 or 2: 57 and 58 bits
func AppendShingles(dst []byte, sorted []uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(sorted)))
	if len(sorted) == 0 {
		return dst
	}
	k, drop := uint(remainder(len(sorted))), uint(64-width(len(sorted)))
	fixed := (len(sorted)*int(k) + 7) / 8
	unary := (3*len(sorted) + 7) / 8 // the quotients add up to less than 2n
	from := len(dst)
	dst = slices.Grow(dst, fixed+unary+spare)[:from+fixed+unary+spare]
	out := dst[from:]
	putRemainders(out, sorted, k, drop)
	return dst[:from+fixed+putQuotients(out[fixed:], sorted, k, drop)]
}

// spare is the number of bytes for writing and reading eight bytes at a time.
const spare = 8

// together is how many remainders are put into a word at once. Three of them leave room for the unfinished byte in the
// word, so that only that byte makes one step wait for the other.
const together, togetherBits = 3, 18

// putRemainders writes eight bytes at a time; the last ones run over into what follows.
func putRemainders(out []byte, sorted []uint64, k, drop uint) {
	k, drop = k&63, drop&63 // unchanged; it saves the compiler the check of the shifts
	mask := uint64(1)<<k - 1
	var last, word uint64
	var fill uint // bits of word that do not yet fill a byte
	for ; k <= togetherBits && len(sorted) >= together; sorted = sorted[together:] {
		a, b, c := sorted[0]>>drop, sorted[1]>>drop, sorted[2]>>drop
		word |= ((a-last)&mask | (b-a)&mask<<k | (c-b)&mask<<(2*k&63)) << (fill & 63)
		last = c
		binary.LittleEndian.PutUint64(out, word)
		fill += together * k
		out, word, fill = out[fill/8:], word>>(fill&56), fill%8
	}
	for _, hash := range sorted {
		hash >>= drop
		word |= (hash - last) & mask << (fill & 63)
		last = hash
		binary.LittleEndian.PutUint64(out, word)
		fill += k
		out, word, fill = out[fill/8:], word>>(fill&56), fill%8
	}
}

// putQuotients returns how many bytes the quotients take.
func putQuotients(out []byte, sorted []uint64, k, drop uint) int {
	k, drop = k&63, drop&63
	var last, word uint64
	at, bit := 0, uint64(0)
	for _, hash := range sorted {
		hash >>= drop
		bit += (hash - last) >> k
		last = hash
		for bit >= 64 {
			binary.LittleEndian.PutUint64(out[at:], word)
			at, word, bit = at+8, 0, bit-64
		}
		word |= 1 << (bit & 63)
		bit++
	}
	binary.LittleEndian.PutUint64(out[at:], word)
	return at + int(bit+7)/8
}

// ShingleReader reads evidence of the kind Shingles, hash by hash from the least to the greatest. It points into the
// evidence.
type ShingleReader struct {
	n, k int
	data []byte // remainders; from the byte next on, quotients that are not read yet

	next   int
	word   uint64 // unread bits of the quotients at hand
	before int    // bits of all quotients up to those at hand
	read   int    // number of hashes read
	rests  uint64 // sum of their remainders
}

// ReadShingles begins to read. It checks the number of hashes, so that Next can read everything that ReadShingles
// accepts.
func ReadShingles(evidence []byte) (ShingleReader, error) {
	number, prefix := binary.Uvarint(evidence)
	if prefix <= 0 || number == 0 || number > uint64(len(evidence)) { // each hash takes more than a byte
		return ShingleReader{}, fmt.Errorf("%w: shingles", ErrCorrupt)
	}
	n := int(number)
	k := remainder(n)
	data, fixed := evidence[prefix:], (n*k+7)/8
	if fixed >= len(data) || data[len(data)-1] == 0 || ones(data[fixed:]) != n {
		return ShingleReader{}, fmt.Errorf("%w: %d shingles in %d bytes", ErrCorrupt, n, len(evidence))
	}
	return ShingleReader{n: n, k: k, data: data, next: fixed, before: -64}, nil
}

// ShinglesLen returns the number of hashes that an entry keeps, without reading them. It returns 0 if its evidence is
// of another kind, or claims more hashes than it can hold.
func ShinglesLen(e *Entry) int {
	number, prefix := binary.Uvarint(e.Evidence)
	if e.Kind != Shingles || prefix <= 0 || number > uint64(len(e.Evidence)) {
		return 0
	}
	return int(number)
}

// Len returns the number of hashes, those already read included.
func (s *ShingleReader) Len() int { return s.n }

// Width returns the number of bits in each hash.
func (s *ShingleReader) Width() int { return width(s.n) }

// Next fills dst with the hashes that follow, and returns how many there were. They are fewer than fit only at the end.
func (s *ShingleReader) Next(dst []uint64) int {
	dst = dst[:min(len(dst), s.n-s.read)]
	data, word, rests := s.data, s.word, s.rests
	k := uint(s.k)
	mask, bit := uint64(1)<<k-1, uint(s.read)*k
	quotient := s.before - s.read // quotient of the hash whose one is at bit 0 of word
	for i := range dst {
		for word == 0 {
			word = load(data, s.next)
			s.next += 8
			quotient += 64
		}
		rests += load(data, int(bit>>3)) >> (bit & 7) & mask
		bit += k
		dst[i] = rests + uint64(quotient+bits.TrailingZeros64(word))<<k
		word &= word - 1
		quotient--
	}
	s.read += len(dst)
	s.word, s.rests, s.before = word, rests, quotient+s.read
	return len(dst)
}

// load reads eight bytes at a place in data, and zeros beyond its end.
func load(data []byte, at int) uint64 {
	if at+8 <= len(data) {
		return binary.LittleEndian.Uint64(data[at:])
	}
	var last [8]byte
	copy(last[:], data[at:])
	return binary.LittleEndian.Uint64(last[:])
}

func ones(data []byte) (n int) {
	for ; len(data) >= 8; data = data[8:] {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(data))
	}
	return n + bits.OnesCount64(load(data, 0))
}
