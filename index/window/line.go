package window

import "github.com/unecho/unecho/index/memory"

// line is one cache line of a bucket: up to 15 entries in the order in which their documents were indexed, and a link
// to the line with the older entries that did not fit. A lookup therefore costs one cache miss in most bands. Expired
// entries stand in front and are dropped when their place is needed.
//
//	┌──────────┬─────────┬─────────┬─────────┬────┬─────────┐
//	│ link 28  │ entry 1 │ entry 2 │ entry 3 │ .. │ entry   │    entries: oldest first; link: number of a spill line + 1
//	│ count 4  │  oldest │         │         │    │  newest │
//	└──────────┴─────────┴─────────┴─────────┴────┴─────────┘
//
// An entry holds a tag and a number. The tag is the part of a band key's hash that the bucket does not already imply.
// The number is the low part of the document's number, enough to distinguish it from the others of the window. In a
// bucket of level l, one of about 2^l buckets:
//
//	┌────────────────────┬───────────────────────────┐
//	│ tag: 27 - l bits   │ number: l + 5 bits        │
//	└────────────────────┴───────────────────────────┘
//
// When a bucket is split in two, the lowest bit of the tag decides which half an entry goes to, and that bit moves to
// the number.
type line [1 + lineSlots]uint32

const (
	lineSlots = 15
	lineBytes = 64

	countBits = 4
	countMask = 1<<countBits - 1

	// ringBits: a bucket of level l holds documents of 22 x 2^l numbers at most (tableLoad), and what has expired is
	// swept away 8 x 2^l documents later (sweepEvery): 30 x 2^l, so 32 x 2^l numbers never meet.
	ringBits = 5
	hashBits = 32 - ringBits
)

func (l *line) count() int   { return int(l[0] & countMask) }
func (l *line) link() uint32 { return l[0] >> countBits }

// item is an entry, unpacked.
type item struct {
	Ref  Ref
	hash uint32 // only the lowest hashBits bits
}

func pack(hash uint32, r Ref, level uint) uint32 {
	return hash&(1<<hashBits-1)>>level<<(level+ringBits) | uint32(r)&ring(level)
}

// ring is the mask of the number in an entry.
func ring(level uint) uint32 { return 1<<(level+ringBits) - 1 }

// span is the run of visible documents: from oldest up to, but not including, end.
type span struct{ oldest, end Ref }

func (s span) visible() uint32 { return uint32(s.end - s.oldest) }

// age returns how many documents were indexed after the document of entry x.
func (s span) age(x uint32, level uint) uint32 { return (uint32(s.end) - 1 - x) & ring(level) }

// ages writes to dst the ages of the visible documents whose entries have the tag in want, newest first, beginning with
// entry at, and returns how many there are. expired says that it stopped at an expired one. The rest of dst is
// overwritten with other values.
func (l *line) ages(dst *[1 + lineSlots]uint32, at int, want, number uint32, s span) (n int, expired bool) {
	newest, visible := uint32(s.end)-1, s.visible()
	for ; at > 0; at-- {
		x := l[at&countMask]
		age := (newest - x) & number
		dst[n&countMask] = age
		if (x^want)&^number == 0 {
			if age >= visible {
				return n, true
			}
			n++
		}
	}
	return n, false
}

// expired returns the number of expired entries of a line. They stand in front.
func (l *line) expired(level uint, s span) (k int) {
	for n := l.count(); k < n && s.age(l[1+k], level) >= s.visible(); k++ {
	}
	return k
}

// compact drops the expired entries of a line.
func (l *line) compact(level uint, s span) {
	if k := l.expired(level, s); k > 0 {
		copy(l[1:], l[1+k:1+l.count()])
		l[0] -= uint32(k)
	}
}

// has says whether an entry may have the tag in want. It compares all slots, filled or not, two at a time and without a
// branch.
func (l *line) has(want, tag uint32) bool {
	w, t := uint64(want)<<32|uint64(want), uint64(tag)<<32|uint64(tag)
	zero := zeroHalf(((uint64(l[1])<<32|uint64(l[0]))^w)&t|tagless) |
		zeroHalf(((uint64(l[3])<<32|uint64(l[2]))^w)&t) |
		zeroHalf(((uint64(l[5])<<32|uint64(l[4]))^w)&t) |
		zeroHalf(((uint64(l[7])<<32|uint64(l[6]))^w)&t) |
		zeroHalf(((uint64(l[9])<<32|uint64(l[8]))^w)&t) |
		zeroHalf(((uint64(l[11])<<32|uint64(l[10]))^w)&t) |
		zeroHalf(((uint64(l[13])<<32|uint64(l[12]))^w)&t) |
		zeroHalf(((uint64(l[15])<<32|uint64(l[14]))^w)&t)
	return zero&(1<<63|1<<31) != 0
}

// tagless makes the first slot differ from every tag, because it holds link and count.
const tagless = 1

// zeroHalf returns a value with bit 31 or bit 63 set if that half of v is zero. Bit 63 is also set if the lower half is
// zero and the upper half is one.
func zeroHalf(v uint64) uint64 { return (v - (1<<32 | 1)) &^ v }

func (l *line) add(x uint32) {
	l[0]++
	l[l.count()] = x
}

// pages hold lines in pieces that never move. A page is a slice and not a pointer to an array: for the latter Go first
// reads the first byte of the array as a nil check, which is one more cache miss per line, always in the same few
// places of the caches.
type pages [][]line

const (
	pageLines = 2048
	// smallPages is the number of pages from which on a table asks for large memory pages. A large memory page is
	// resident as a whole, which is a waste for small tables.
	smallPages = 6
)

func (p pages) at(i int) *line { return &p[uint(i)/pageLines][uint(i)%pageLines] }

// extend allocates pages up to line i.
func (p *pages) extend(i int) {
	for i/pageLines >= len(*p) {
		*p = append(*p, make([]line, pageLines))
		if n := len(*p); n == smallPages {
			for _, page := range *p {
				memory.Huge(page)
			}
		} else if n > smallPages {
			memory.Huge((*p)[n-1])
		}
	}
}
