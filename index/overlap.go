package index

import "github.com/unecho/unecho/index/entry"

// overlap is the Jaccard similarity from evidence of the kind Shingles. It is exact but for chance equalities of shortened
// hashes: these can only raise it, and seldom do (see entry.AppendShingles).
//
// Both lists are walked in ascending order. The walk ends as soon as so many hashes of either have no equal that the threshold
// is out of reach, which for a pair that is half as similar as it should be is early.
type overlap struct {
	least Similarity
	own   []uint64
	width int // of own, in bits
	chunk [overlapChunk]uint64
	flat
}

// overlapChunk is how many hashes are decoded at a time: enough to do it fast, few enough not to do it for nothing.
const overlapChunk = 64

func (x *overlap) method() Method { return Jaccard }

func (x *overlap) begin(e *entry.Entry) {
	x.own = x.own[:0]
	s, ok := shingles(e)
	if !ok {
		return
	}
	x.width = s.Width()
	for {
		n := s.Next(x.chunk[:])
		if n == 0 {
			return
		}
		x.own = append(x.own, x.chunk[:n]...)
	}
}

func shingles(e *entry.Entry) (entry.ShingleReader, bool) {
	if e.Kind != entry.Shingles {
		return entry.ShingleReader{}, false
	}
	s, err := entry.ReadShingles(e.Evidence)
	return s, err == nil
}

func (x *overlap) similarity(candidate *entry.Entry) Similarity {
	them, ok := shingles(candidate)
	if !ok {
		return unlike()
	}
	both := len(x.own) + them.Len()
	need := x.need(both)
	if min(len(x.own), them.Len()) < need {
		return unlike()
	}
	shared := x.shared(&them, need)
	if shared < need {
		return unlike()
	}
	return Similarity{Num: uint32(shared), Den: uint32(both - shared)}
}

// cost is the number of hashes in both lists.
func (x *overlap) cost(own, candidate *entry.Entry) int {
	return entry.ShinglesLen(own) + entry.ShinglesLen(candidate)
}

// outlines says that a document has so few hashes that those of an outline differ, and that any so many that no outline notes
// their number are too many to be similar.
func (x *overlap) outlines(e *entry.Entry) bool {
	n := entry.ShinglesLen(e)
	return n > 0 && n <= outlined && n < x.need(n+headMask)
}

func (x *overlap) hashes(e *entry.Entry) int { return entry.ShinglesLen(e) }

func (x *overlap) outline(e *entry.Entry, o *outline) {
	s, ok := shingles(e)
	if !ok {
		return
	}
	o.n = s.Len()
	for high := s.Width() - outlineHigh; ; {
		n := s.Next(x.chunk[:])
		if n == 0 {
			return
		}
		o.flip(x.chunk[:n], high&63)
	}
}

// shares: shared / (both - shared) >= num / den.
func (x *overlap) shares() (num, den int) { return int(x.least.Num), int(x.least.Num + x.least.Den) }

// need is the least number of shared hashes with which two lists, so long together, are similar enough:
// shared / (both - shared) >= num / den.
func (x *overlap) need(both int) int {
	num, den := uint64(x.least.Num), uint64(x.least.Den)
	return max(1, int((num*uint64(both)+num+den-1)/(num+den)))
}

// shared counts the hashes of own that have an equal among them, each being the equal of one only; or, if these are fewer
// than need, it may stop and return a number below need.
func (x *overlap) shared(them *entry.ShingleReader, need int) (shared int) {
	width := min(x.width, them.Width())
	shorten, shortenTheirs := x.width-width, them.Width()-width
	left := x.own
	unequal := them.Len() - need // so many of theirs may have no equal
	for len(left) >= need-shared {
		theirs := x.chunk[:them.Next(x.chunk[:])]
		if len(theirs) == 0 {
			break
		}
		equal, passed := equals(left, theirs, uint(shorten)&63, uint(shortenTheirs)&63)
		shared += equal
		left = left[passed:]
		if unequal -= len(theirs) - equal; unequal < 0 {
			break
		}
	}
	return shared
}

// equals counts the hashes of b that have an equal at the front of a, both shortened, and how many of a it has passed. Bounds
// ...
func equals(a, b []uint64, shortenA, shortenB uint) (equal, passed int) {
	i := 0
	for _, y := range b {
		y >>= shortenB
		for i < len(a) && a[i]>>shortenA < y {
			i++
		}
		if i < len(a) && a[i]>>shortenA == y {
			equal++
			i++
		}
	}
	return equal, i
}
