package eval

import "math/bits"

// parities holds a row of bits for each record. Each token of the record flips one bit. Where two rows differ, a token
// is in only one of the sets, so the number of shared tokens is bounded without reading the sets (Sandes, Teodoro and
// Melo, "Bitmap Filter: Speeding up Exact Set Similarity Joins with Bitwise Operations", Information Systems 88, 2020).
type parities struct {
	words int // words in a row, a power of two
	rows  []uint64
}

// mostParityWords is the most words in a row: 512 bytes.
const mostParityWords = 64

// newParities makes rows of about two bits for each token of a record of mean size. With fewer bits, the flips of large
// sets cancel each other, and the rows tell nothing.
func newParities(records []record, tokens []uint32) *parities {
	p := &parities{words: 1}
	for p.words < mostParityWords && p.words*bits.UintSize*len(records) < 2*len(tokens) {
		p.words *= 2
	}
	p.rows = make([]uint64, p.words*len(records))
	for i, r := range records {
		row := p.row(i)
		for _, token := range tokens[r.from:r.to] {
			bit := uint64(token) * 0x9e3779b97f4a7c15 >> 32 % uint64(p.words*64)
			row[bit/64] ^= 1 << (bit % 64)
		}
	}
	return p
}

func (p *parities) row(record int) []uint64 { return p.rows[record*p.words:][:p.words] }

// most returns an upper bound of the tokens that two records share; a and b are their numbers of tokens.
func (p *parities) most(x, y, a, b int) int {
	differ := 0
	other := p.row(y)
	for i, word := range p.row(x) {
		differ += bits.OnesCount64(word ^ other[i])
	}
	return (a + b - differ) / 2
}
