package text

import "math/bits"

// Ignored are shingles that do not count. The zero Ignored has none. It may be used by many goroutines at once.
type Ignored struct {
	// Fingerprint is that of the list from which the set was made, on which members must agree. It is no setting of its
	// own, and so stands in canonical settings below the one that names the list.
	Fingerprint string `key:"fingerprint" verdict:"true" omit:""`

	set *ignoredSet `key:"-"`
}

// ignoredSet is a set of hashes. Most shingles of most documents are not in it, and one bit says so of all but one in
// spreadBits.
type ignoredSet struct {
	filter []uint64 // a bit for each hash, by its lower bits
	table  []uint64 // the hashes by their upper bits, or at the next free place; 0 is free
	zero   bool     // the hash 0 is one of the set
	n      int
}

// spreadBits is how many bits of the filter there are for each hash, at least. With 64 a text of which nothing is ignored took
// some 4 % longer to sign, because the filter of 10,000 hashes is larger than a cache (BenchmarkIgnoring).
const spreadBits = 16

// Ignore makes a set of the hashes of shingles.
func Ignore(fingerprint string, hashes []uint64) Ignored {
	set := &ignoredSet{
		filter: make([]uint64, 1<<bits.Len(uint(spreadBits*len(hashes)/64))),
		table:  make([]uint64, 1<<bits.Len(uint(2*len(hashes)))),
	}
	for _, h := range hashes {
		set.add(h)
	}
	return Ignored{Fingerprint: fingerprint, set: set}
}

func (x *ignoredSet) add(h uint64) {
	if x.stored(h) {
		return
	}
	x.n++
	x.filter[h>>6&uint64(len(x.filter)-1)] |= 1 << (h & 63)
	if h == 0 {
		x.zero = true
		return
	}
	at := x.home(h)
	for x.table[at] != 0 {
		at = x.behind(at)
	}
	x.table[at] = h
}

func (x *ignoredSet) home(h uint64) uint64 { return h >> 32 & uint64(len(x.table)-1) }

func (x *ignoredSet) behind(at uint64) uint64 { return (at + 1) & uint64(len(x.table)-1) }

// stored looks into the table.
func (x *ignoredSet) stored(h uint64) bool {
	if h == 0 {
		return x.zero
	}
	for at := x.home(h); x.table[at] != 0; at = x.behind(at) {
		if x.table[at] == h {
			return true
		}
	}
	return false
}

// may says whether a hash may be in the set, by the filter.
func (x *ignoredSet) may(h uint64) bool {
	return x.filter[h>>6&uint64(len(x.filter)-1)]&(1<<(h&63)) != 0
}

// first returns where the first hash of the set is, or how many hashes there are: most documents have none of them.
func (x *ignoredSet) first(hashes []uint64) int {
	filter, mask := x.filter, uint64(len(x.filter)-1)
	for i, h := range hashes {
		if filter[h>>6&mask]&(1<<(h&63)) != 0 && x.stored(h) {
			return i
		}
	}
	return len(hashes)
}

// Len is the number of shingles.
func (x Ignored) Len() int {
	if x.set == nil {
		return 0
	}
	return x.set.n
}

// Read says whether the list that the fingerprint is of was read, or there is none.
func (x Ignored) Read() bool { return x.set != nil || x.Fingerprint == "" }

// Has says whether a shingle does not count.
func (x Ignored) Has(hash uint64) bool { return x.set != nil && x.set.stored(hash) }

// Without drops, in place, the hashes of shingles of a text that do not count. If that would be all of them, it drops none: such a
// text is compared as if there was no list. It allocates nothing.
func (x Ignored) Without(hashes []uint64) []uint64 {
	if x.set == nil {
		return hashes
	}
	set, n := x.set, x.set.first(hashes)
	for _, h := range hashes[n:] {
		if !set.may(h) || !set.stored(h) {
			hashes[n] = h
			n++
		}
	}
	if n == 0 { // nothing was overwritten
		return hashes
	}
	return hashes[:n]
}
