package text

import "math/bits"

// Ignored are shingles that do not count. The zero Ignored has none. It may be used by many goroutines at once.
type Ignored struct {
	// Fingerprint is that of the list from which the set was made, on which members must agree. It is no setting of its
	// own, and so stands in canonical settings below the one that names the list.
	Fingerprint string `key:"fingerprint" verdict:"true" omit:""`

	set *ignoredSet `key:"-"`
}

// ignoredSet is a set of hashes. Most shingles of most documents are not in it, and one bit tells that of all but few.
//
//	┌────────────────────────────────────────┐   ┌───────────────────────┐
//	│ filter: spreadBits bits for each hash, │   │ table: open addresses,│
//	│ by its upper bits                      │ → │ by the bits below     │
//	└────────────────────────────────────────┘   └───────────────────────┘
type ignoredSet struct {
	filter []uint64
	shift  int      // of a hash, for its bit in filter
	table  []uint64 // 0 is free
	zero   bool     // the hash 0 is one of the set
	n      int
}

// spreadBits is how many bits the filter has for each hash, at least: of other shingles fewer than one in as many is
// looked up in the table.
const spreadBits = 32

// Ignore makes a set of the hashes of shingles.
func Ignore(fingerprint string, hashes []uint64) Ignored {
	set := &ignoredSet{
		filter: make([]uint64, 1<<bits.Len(uint(spreadBits*len(hashes)/64))),
		table:  make([]uint64, 1<<bits.Len(uint(2*len(hashes)))),
	}
	set.shift = 64 - (bits.Len(uint(len(set.filter)-1)) + 6)
	for _, h := range hashes {
		set.add(h)
	}
	return Ignored{Fingerprint: fingerprint, set: set}
}

func (x *ignoredSet) add(h uint64) {
	if x.has(h) {
		return
	}
	x.n++
	bit := h >> (x.shift & 63)
	x.filter[bit/64] |= 1 << (bit % 64)
	if h == 0 {
		x.zero = true
		return
	}
	at := h & uint64(len(x.table)-1)
	for x.table[at] != 0 {
		at = (at + 1) & uint64(len(x.table)-1)
	}
	x.table[at] = h
}

// has looks in the table.
func (x *ignoredSet) has(h uint64) bool {
	if h == 0 {
		return x.zero
	}
	for at := h & uint64(len(x.table)-1); x.table[at] != 0; at = (at + 1) & uint64(len(x.table)-1) {
		if x.table[at] == h {
			return true
		}
	}
	return false
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
func (x Ignored) Has(hash uint64) bool { return x.set != nil && x.set.has(hash) }

// Without drops, in place, the hashes of shingles that do not count. It allocates nothing.
func (x Ignored) Without(hashes []uint64) []uint64 {
	if x.set == nil {
		return hashes
	}
	n, shift, filter := 0, x.set.shift&63, x.set.filter
	for _, h := range hashes {
		bit := h >> shift
		if filter[bit/64&uint64(len(filter)-1)]>>(bit%64)&1 != 0 && x.set.has(h) {
			continue
		}
		hashes[n] = h
		n++
	}
	return hashes[:n]
}
