package text

import (
	"math/bits"
	"slices"
)

// Set sorts hashes in place and drops duplicates; the result is the front of hashes. It is fast for values that are
// spread evenly, as hashes are, and correct for any. It allocates nothing. A Sorter leaves to it what does not fit its
// table: with slices.Sort instead, a text of 1 MiB takes twice as long to sign (char:5), or three times (auto:3).
func Set(hashes []uint64) []uint64 {
	sortSpread(hashes, 64-radixBits)
	return slices.Compact(hashes)
}

const (
	radixBits = 8
	buckets   = 1 << radixBits
	small     = 32   // up to this many, slices.Sort is as fast
	medium    = 1024 // up to this many, a copy of the values fits on the stack
	crowded   = 24   // a bucket this large shows that the values are not spread
)

// sortSpread sorts values that agree in the bits above shift + radixBits.
func sortSpread(values []uint64, shift int) {
	switch {
	case len(values) <= small || shift < 0:
		slices.Sort(values)
	case len(values) <= medium:
		scatter(values, shift)
	default:
		deal(values, shift)
	}
}

// scatter sorts by the eight bits at shift, by means of a copy. With about one value in each bucket the rest is nearly
// sorted, and insertion sort completes it.
func scatter(values []uint64, shift int) {
	var at [buckets]uint16
	for _, v := range values {
		at[byte(v>>shift)]++
	}
	sum, most := uint16(0), uint16(0)
	for b, count := range at {
		at[b] = sum
		sum += count
		most = max(most, count)
	}
	if most > crowded {
		slices.Sort(values)
		return
	}
	var scratch [medium]uint64
	copied := scratch[:copy(scratch[:], values)]
	for _, v := range copied {
		b := byte(v >> shift)
		values[at[b]] = v
		at[b]++
	}
	insertionSort(values)
}

func insertionSort(values []uint64) {
	for i := 1; i < len(values); i++ {
		v, j := values[i], i
		for ; j > 0 && values[j-1] > v; j-- {
			values[j] = values[j-1]
		}
		values[j] = v
	}
}

// deal moves each value, in place, into the bucket of its eight bits at shift (American flag sort), and sorts the
// buckets.
func deal(values []uint64, shift int) {
	var next, end [buckets]int
	for _, v := range values {
		end[byte(v>>shift)]++
	}
	sum := 0
	for b, count := range end {
		next[b] = sum
		sum += count
		end[b] = sum
	}
	first := 0
	for b, last := range end {
		for next[b] < last {
			v := values[next[b]]
			for home := byte(v >> shift); int(home) != b; home = byte(v >> shift) {
				v, values[next[home]] = values[next[home]], v
				next[home]++
			}
			values[next[b]] = v
			next[b]++
		}
		sortSpread(values[first:last], shift-radixBits)
		first = last
	}
}

// A Sorter makes sets of hashes as Set does, in two thirds of the time or less, because it keeps a table from one
// document to the next. The zero Sorter is ready. It is not safe for concurrent use.
//
// The table is indexed by the upper bits of the values, and kept in ascending order within each run of taken places
// (Amble and Knuth, "Ordered hash tables", 1974). As the upper bits are monotonic, the whole table is in ascending
// order.
type Sorter struct {
	table []uint64
	taken []uint64 // one bit per place; set if the place is taken
}

const (
	sparse   = 4       // places per value, at least; few values then find theirs taken, which no branch predictor foresees
	overflow = 64      // extra places behind the last value's own
	largest  = 1 << 15 // greatest number of values; a table for more would exceed the caches, and stay allocated
)

// Set sorts hashes in place and drops duplicates; the result is the front of hashes.
func (s *Sorter) Set(hashes []uint64) []uint64 {
	if len(hashes) > largest || !s.fill(hashes) {
		return Set(hashes)
	}
	n := 0
	for i, word := range s.taken {
		for ; word != 0; word &= word - 1 {
			hashes[n] = s.table[i*64+bits.TrailingZeros64(word)]
			n++
		}
	}
	return hashes[:n]
}

// fill puts the hashes into the table. It gives up if the values are not spread.
func (s *Sorter) fill(hashes []uint64) bool {
	size := bits.Len(uint(sparse * len(hashes)))
	places := 1<<size + overflow
	s.table, s.taken = slices.Grow(s.table[:0], places)[:places], slices.Grow(s.taken[:0], places/64)[:places/64]
	clear(s.taken)
	table, taken := s.table, s.taken
	steps := len(hashes) + overflow // a value takes a sixth on average
	for _, v := range hashes {
		at := uint(v >> (64 - size))
		for {
			word, bit := &taken[at/64], uint64(1)<<(at%64)
			if *word&bit == 0 {
				*word |= bit
				table[at] = v
				break
			}
			x := table[at]
			if x == v {
				break
			}
			table[at], v = min(x, v), max(x, v)
			at++
			if steps--; steps < 0 || at == uint(places) {
				return false
			}
		}
	}
	return true
}
