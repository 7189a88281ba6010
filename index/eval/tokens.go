package eval

import "slices"

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
