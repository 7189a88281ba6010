package compare

import "github.com/unecho/unecho/index/entry"

// overlap is the Jaccard similarity from evidence of the kind Shingles. It is exact except for chance equalities of
// shortened hashes, which can only raise it, and seldom do (see entry.AppendShingles).
//
// Both lists are walked in ascending order. The walk ends as soon as too many hashes of either list have no equal for
// the threshold to be reached. For a pair of half the required similarity that is early.
type overlap struct {
	least  Similarity
	limits *oddLimits
	own    []uint64
	width  int // bits of a hash in own
	chunk  [overlapChunk]uint64
	flat
}

// overlapChunk is how many hashes are decoded at a time: enough for fast decoding, and few enough to waste little when
// the walk ends early.
const overlapChunk = 64

func (x *overlap) method() Method { return Jaccard }

func (x *overlap) require(least Similarity) { x.least = least }

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

func (x *overlap) limit(e *entry.Entry) int {
	return x.limits.of(differing(entry.ShinglesLen(e), x.least))
}

func (x *overlap) mayReach(own, candidate *entry.Entry, distance int) bool {
	a, b := entry.ShinglesLen(own), entry.ShinglesLen(candidate)
	need := x.need(a + b)
	return min(a, b) >= need && distance <= x.limits.of(a+b-2*need)
}

func (x *overlap) fine(dst []uint64, e *entry.Entry) []uint64 {
	return appendPairs(dst, e.Scope, x.own, x.width)
}

// need returns the least number of shared hashes with which two lists of both hashes in total are similar enough:
// shared / (both - shared) >= num / den.
func (x *overlap) need(both int) int { return neededShingles(both, x.least) }

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
