package eval

import "sort"

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
