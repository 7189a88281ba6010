package eval

import (
	"math/bits"
	"sort"
)

// A Probe finds pairs in a Join. It has its own memory, 4 bytes for each record, so that several may work at once.
type Probe struct {
	join     *Join
	counts   []int32 // record -> tokens shared so far; 0 not met, pruned cannot reach the threshold
	met      []uint32
	Compared uint64 // records whose sets were compared
}

const pruned = -1

// NewProbe makes a Probe.
func (j *Join) NewProbe() *Probe { return &Probe{join: j, counts: make([]int32, len(j.records))} }

// Pairs finds all pairs, in the order of A, then B.
func (j *Join) Pairs() []Pair {
	var pairs []Pair
	p := j.NewProbe()
	for i := range j.records {
		pairs = p.Append(pairs, i)
	}
	SortPairs(pairs)
	return pairs
}

// Append appends the pairs of record i, 0 <= i < Len, with the records before it. So all records together yield each
// pair once, in no particular order.
func (p *Probe) Append(pairs []Pair, i int) []Pair {
	p.gather(i)
	j, x := p.join, &p.join.records[i]
	for _, other := range p.met {
		count := p.counts[other]
		p.counts[other] = 0
		if count == pruned {
			continue
		}
		y := &j.records[other]
		need := j.overlap(x.size, y.size)
		if j.parities.most(i, int(other), x.to-x.from, y.to-y.from) < need {
			continue
		}
		p.Compared++
		if shared := sharedAtLeast(j.tokens[x.from:x.to], j.tokens[y.from:y.to], need); shared >= need {
			pairs = append(pairs, newPair(x.document, y.document, shared, x.size+y.size-shared))
		}
	}
	p.met = p.met[:0]
	return pairs
}

// gather counts, for each smaller record, the first tokens that it shares with record i.
func (p *Probe) gather(i int) {
	j, x := p.join, &p.join.records[i]
	least := j.least(x.size)
	length := x.size - least + 1
	for place := x.singles(); place < length; place++ {
		token := j.tokens[x.from+place-x.singles()]
		postings := j.postings[j.starts[token]:j.starts[token+1]]
		first := sort.Search(len(postings), func(k int) bool { return j.records[postings[k].record].size >= least })
		for _, post := range postings[first:] {
			if int(post.record) >= i {
				break
			}
			p.count(x, place, post)
		}
	}
}

// count counts one shared token for a record, unless too few can follow in both sets.
func (p *Probe) count(x *record, place int, post posting) {
	shared := p.counts[post.record]
	if shared == pruned {
		return
	}
	if shared == 0 {
		p.met = append(p.met, post.record)
	}
	y := &p.join.records[post.record]
	follow := min(x.size-place, y.size-int(post.place))
	if int(shared)+follow < p.join.overlap(x.size, y.size) {
		p.counts[post.record] = pruned
		return
	}
	p.counts[post.record] = shared + 1
}

// sharedAtLeast returns how many elements two sorted sets share. It stops early with a number below need when need is
// out of reach.
func sharedAtLeast(a, b []uint32, need int) (shared int) {
	i, k := 0, 0
	for i < len(a) && k < len(b) {
		if shared+min(len(a)-i, len(b)-k) < need {
			return shared
		}
		x, y := a[i], b[k]
		if x == y {
			shared++
		}
		if x <= y {
			i++
		}
		if y <= x {
			k++
		}
	}
	return shared
}

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
