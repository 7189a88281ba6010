package demo

import (
	"math"
	"math/bits"

	"github.com/unecho/unecho/index/sketch"
)

// nearest finds, among sets of hashes, the one most similar to a set, if that similarity is at least floor. It is
// exact: in whatever order hashes are put, two sets of that similarity share one of their first n-ceil(floor·n)+1
// hashes (prefix filtering; Chaudhuri, Ganti, Kaushik 2006), so only these are indexed and looked up. Rarer hashes come
// first, roughly, so that a lookup meets few sets in vain; of equally common ones the lower comes first.
type nearest struct {
	floor    float64
	sets     [][]uint64
	ends     []rank           // by set: the last of its prefix
	heads    map[uint32]int32 // low bits of a hash -> its newest posting; a collision only costs a look in vain
	postings []posting
	levels   map[uint32]uint8 // the low bits of a hash -> how common it is; changed only by rebuild, as the order changes
	rebuilt  int              // how many sets there were at the last rebuild

	counts  []int32 // by set: hashes that its prefix shares with the one looked up; all 0 between calls
	touched []int32
	buckets [tiers][]uint64
	first   []uint64 // room for a prefix
}

// tiers bounds the levels. A hash at level l is in at least some 4·2^l prefixes; at level 0 it is in fewer than 8.
const tiers = 24

// rank is the place of a hash in the order.
type rank struct {
	level uint8
	hash  uint64
}

func (r rank) before(s rank) bool { return r.level < s.level || r.level == s.level && r.hash < s.hash }

type posting struct{ set, before, length int32 }

func newNearest(floor float64) *nearest {
	return &nearest{floor: floor, heads: map[uint32]int32{}, levels: map[uint32]uint8{}, rebuilt: 64}
}

// add keeps the set, which must not change afterwards, and returns its number.
func (n *nearest) add(set []uint64) int {
	number := len(n.sets)
	n.sets = append(n.sets, set)
	n.counts = append(n.counts, 0)
	n.ends = append(n.ends, rank{})
	n.index(number)
	if len(n.sets) >= 2*n.rebuilt {
		n.rebuilt = len(n.sets)
		n.demote()
		n.rebuild()
	}
	return number
}

func (n *nearest) index(number int) {
	n.first, n.ends[number] = n.prefix(n.first, n.sets[number])
	for _, hash := range n.first {
		p := posting{set: int32(number), before: -1, length: 1}
		if before, ok := n.heads[uint32(hash)]; ok {
			p.before, p.length = before, n.postings[before].length+1
		}
		n.heads[uint32(hash)] = int32(len(n.postings))
		n.postings = append(n.postings, p)
	}
}

// demote finds the hashes that have become more common. Other hashes take their place in the prefixes, and may be
// demoted next time.
func (n *nearest) demote() {
	for hash, head := range n.heads {
		if level := uint8(min(tiers-1, bits.Len32(uint32(n.postings[head].length)/8))); level > n.levels[hash] {
			n.levels[hash] = level
		}
	}
}

func (n *nearest) rebuild() {
	clear(n.heads)
	n.postings = n.postings[:0]
	for number := range n.sets {
		n.index(number)
	}
}

// prefix returns the first hashes of a set, in dst, and the rank of the last of them.
func (n *nearest) prefix(dst, set []uint64) (first []uint64, end rank) {
	for level := range n.buckets {
		n.buckets[level] = n.buckets[level][:0]
	}
	for _, hash := range set {
		level := n.levels[uint32(hash)]
		n.buckets[level] = append(n.buckets[level], hash)
	}
	size := n.prefixLen(len(set))
	dst = dst[:0]
	for level, hashes := range n.buckets {
		if room := size - len(dst); room > 0 && len(hashes) > 0 {
			dst = append(dst, hashes[:min(room, len(hashes))]...)
			end = rank{level: uint8(level), hash: dst[len(dst)-1]}
		}
	}
	return dst, end
}

// prefixLen returns slightly more than the formula, so that rounding never makes the prefix too short.
func (n *nearest) prefixLen(size int) int {
	return min(size, size-int(math.Ceil(n.floor*float64(size)-1e-9))+1)
}

// best returns the highest similarity to a kept set as a fraction, or 0/1 if none reaches the floor.
func (n *nearest) best(set []uint64) (shared, union int) {
	shared, union = 0, 1
	var end rank
	n.first, end = n.prefix(n.first, set)
	n.touch(n.first)
	for _, candidate := range n.touched {
		other := n.sets[candidate]
		rest := len(set) - len(n.first)
		if n.ends[candidate].before(end) {
			rest = len(other) - n.prefixLen(len(other))
		}
		// In the prefix that ends first, everything shared is counted. Anything else that is shared comes after it.
		most := min(int(n.counts[candidate])+rest, len(set), len(other))
		n.counts[candidate] = 0
		if over := len(set) + len(other) - most; !n.reaches(most, over) || most*union <= shared*over {
			continue
		}
		if s, u := sketch.Jaccard(set, other); n.reaches(s, u) && s*union > shared*u {
			shared, union = s, u
		}
	}
	n.touched = n.touched[:0]
	return shared, union
}

// touch counts, for each set, the hashes that are in its prefix.
func (n *nearest) touch(hashes []uint64) {
	for _, hash := range hashes {
		at, ok := n.heads[uint32(hash)]
		for ok && at >= 0 {
			p := n.postings[at]
			if n.counts[p.set] == 0 {
				n.touched = append(n.touched, p.set)
			}
			n.counts[p.set]++
			at = p.before
		}
	}
}

func (n *nearest) reaches(shared, union int) bool {
	return float64(shared) >= n.floor*float64(union)-1e-9
}
