package eval

import (
	"cmp"
	"slices"
)

// Scale of a threshold: ten thousandths.
const Scale = 10000

// A Join holds a corpus in a form in which all pairs at or above a threshold can be found. It takes about 8 bytes for
// each shingle of a set that occurs in another set too, and less than twice that while it is built.
type Join struct {
	threshold int
	records   []record // by size, and by place in the corpus where sizes are equal
	tokens    []uint32 // of all records, one after another
	starts    []uint32 // token -> its first posting; one more than there are tokens
	postings  []posting
	parities  *parities
}

// record is a set. Only shingles that occur in other sets too have a token; tokens are numbered from the rarest to the
// most frequent. A set is treated as sorted by frequency: first its single shingles, which match nothing, then its
// tokens.
type record struct {
	document int
	size     int // of the whole set
	from, to int // tokens
}

func (r *record) singles() int { return r.size - (r.to - r.from) }

// posting says that a record has a token at a place (single shingles counted). The token is one of the first ones, of
// which any similar pair shares at least one.
type posting struct {
	record uint32
	place  uint32
}

// NewJoin builds a Join of a corpus, each set sorted and without repetitions, for a threshold in ten thousandths, above
// 0. It does not keep the sets.
func NewJoin(sets [][]uint64, threshold int) *Join {
	j := &Join{threshold: threshold}
	numbers := numberTokens(sets)
	for document, set := range sets {
		if len(set) == 0 {
			continue
		}
		from := len(j.tokens)
		for _, shingle := range set {
			if token, ok := numbers.find(shingle); ok {
				j.tokens = append(j.tokens, token)
			}
		}
		slices.Sort(j.tokens[from:])
		j.records = append(j.records, record{document: document, size: len(set), from: from, to: len(j.tokens)})
	}
	slices.SortStableFunc(j.records, func(a, b record) int { return cmp.Compare(a.size, b.size) })
	j.post(numbers.count())
	j.parities = newParities(j.records, j.tokens)
	return j
}

// Len returns the number of records to probe: the sets that are not empty.
func (j *Join) Len() int { return len(j.records) }

// post writes, for each token, the records that have it among their first tokens, of which any pair with a larger
// record shares one.
func (j *Join) post(tokens int) {
	j.starts = make([]uint32, tokens+1)
	j.eachPrefix(func(_ int, token, _ uint32) { j.starts[token+1]++ })
	for t := range tokens {
		j.starts[t+1] += j.starts[t]
	}
	j.postings = make([]posting, j.starts[tokens])
	next := slices.Clone(j.starts[:tokens])
	j.eachPrefix(func(record int, token, place uint32) {
		j.postings[next[token]] = posting{record: uint32(record), place: place}
		next[token]++
	})
}

func (j *Join) eachPrefix(visit func(record int, token, place uint32)) {
	for i := range j.records {
		r := &j.records[i]
		length := r.size - j.overlap(r.size, r.size) + 1
		for place := r.singles(); place < length; place++ {
			visit(i, j.tokens[r.from+place-r.singles()], uint32(place))
		}
	}
}

// overlap returns the least number of shingles that two sets of these sizes share if they reach the threshold.
func (j *Join) overlap(a, b int) int {
	return max(1, (j.threshold*(a+b)+Scale+j.threshold-1)/(Scale+j.threshold))
}

// least returns the size of the smallest set that can reach the threshold with one of the given size.
func (j *Join) least(size int) int { return (j.threshold*size + Scale - 1) / Scale }

// numbering gives a number to each shingle that occurs in more than one set. The rarest come first, because they
// distinguish most. It is a hash table with open addressing; shingles are hashes already.
type numbering struct {
	shingles []uint64 // slot -> shingle
	numbers  []uint32 // slot -> number + 1; 0 is an empty slot
	mask     uint64
	n        int
}

func numberTokens(sets [][]uint64) *numbering {
	all := sharedShingles(sets)
	// Equally frequent shingles are ordered by their hashes, so that the join does the same work each time.
	slices.SortStableFunc(all, func(a, b frequency) int { return int(a.sets) - int(b.sets) })
	size := 1
	for size < 2*len(all) {
		size *= 2
	}
	n := &numbering{shingles: make([]uint64, size), numbers: make([]uint32, size), mask: uint64(size - 1), n: len(all)}
	for i, f := range all {
		slot := n.slot(f.shingle)
		n.shingles[slot], n.numbers[slot] = f.shingle, uint32(i)+1
	}
	return n
}

// frequency is the number of sets in which a shingle occurs.
type frequency struct {
	shingle uint64
	sets    uint32
}

// parts is how many parts, by their first bits, the shingles of a corpus are counted in. Only one part is in memory at
// a time.
const (
	partBits = 4
	parts    = 1 << partBits
)

func sharedShingles(sets [][]uint64) []frequency {
	var (
		shared []frequency
		some   []uint64
	)
	next := make([]int, len(sets)) // per set: where its part begins; sets are sorted, and so are the parts
	for part := range uint64(parts) {
		some = some[:0]
		for i, set := range sets {
			end := next[i]
			for end < len(set) && set[end]>>(64-partBits) == part {
				end++
			}
			some = append(some, set[next[i]:end]...)
			next[i] = end
		}
		slices.Sort(some)
		shared = appendFrequent(shared, some)
	}
	return shared
}

// appendFrequent appends the elements that occur more than once in a sorted list.
func appendFrequent(shared []frequency, sorted []uint64) []frequency {
	for i := 0; i < len(sorted); {
		end := i + 1
		for end < len(sorted) && sorted[end] == sorted[i] {
			end++
		}
		if end-i > 1 {
			shared = append(shared, frequency{shingle: sorted[i], sets: uint32(end - i)})
		}
		i = end
	}
	return shared
}

func (n *numbering) count() int { return n.n }

func (n *numbering) find(shingle uint64) (number uint32, ok bool) {
	found := n.numbers[n.slot(shingle)]
	return found - 1, found > 0
}

func (n *numbering) slot(shingle uint64) uint64 {
	slot := shingle * 0x9e3779b97f4a7c15 >> 20 & n.mask
	for n.numbers[slot] != 0 && n.shingles[slot] != shingle {
		slot = (slot + 1) & n.mask
	}
	return slot
}
