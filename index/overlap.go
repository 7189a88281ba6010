package index

import "github.com/unecho/unecho/index/entry"

// overlap is the Jaccard similarity from evidence of the kind Shingles. It is exact except for chance equalities of
// shortened hashes, which can only raise it, and seldom do (see entry.AppendShingles).
//
// Both lists are walked in ascending order. The walk ends as soon as too many hashes of either list have no equal for
// the threshold to be reached. For a pair of half the required similarity that is early.
type overlap struct {
	least Similarity
	own   []uint64
	width int // bits of a hash in own
	chunk [overlapChunk]uint64
	flat
}

// overlapChunk is how many hashes are decoded at a time: enough for fast decoding, and few enough to waste little when
// the walk ends early.
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

// outlines says whether a document has an outline: its hashes are few enough for outlines to differ, and so few that a
// document with headMask more hashes could not be similar. An outline does not store larger numbers of hashes.
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

// shares returns the threshold as a share of both lists: shared / (both - shared) >= Num / Den is the same as shared /
// both >= Num / (Num + Den).
func (x *overlap) shares() (num, den int) { return int(x.least.Num), int(x.least.Num + x.least.Den) }

// need returns the least number of shared hashes with which two lists of both hashes in total are similar enough:
// shared / (both - shared) >= num / den.
func (x *overlap) need(both int) int {
	num, den := uint64(x.least.Num), uint64(x.least.Den)
	return max(1, int((num*uint64(both)+num+den-1)/(num+den)))
}

// shared counts the hashes of own that have an equal in them, where each hash is the equal of only one other. If the
// count is less than need, it may stop early and return any number below need.
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

// equals counts the hashes of b that have an equal at the front of a, after both were shortened, and returns how many
// hashes of a it has passed.
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
