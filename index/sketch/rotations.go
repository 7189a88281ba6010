package sketch

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Rotations finds all pairs of SimHashes within a distance, when all hashes are known. It is for distances beyond those
// that the blocks of a SimHashSketch guarantee. The bits are cut into one block more than the distance, so that two
// hashes within it are equal in at least one block. For each block the hashes are sorted as if they were rotated so
// that it comes first, and those with an equal front are compared (Manku, Jain and Das Sarma, "Detecting
// Near-Duplicates for Web Crawling", 2007, sections 3 and 4). No pair is missed. Many hashes share a short block: with
// n hashes, and fronts of b bits, each rotation compares n x n / 2^(b+1) pairs.
//
// Pairs may be called for several rotations at once.
type Rotations struct {
	params SimHashParams
	hashes []words
}

// NewRotations builds an empty Rotations for hashes of 32, 64 or 128 bits. It refuses distances for which comparing all
// pairs would be no more work.
func NewRotations(size, distance int) (*Rotations, error) {
	if err := checkSize(size); err != nil {
		return nil, err
	}
	if most := MostRotated(size); distance < 0 || distance > most {
		return nil, fmt.Errorf("a distance of %d bits is impossible; with %d bits possible is 0 to %d, by sorted rotations",
			distance, size, most)
	}
	return &Rotations{params: SimHashParams{Bits: size, Distance: distance}}, nil
}

// MostRotated returns the largest distance at which all rotations together compare fewer pairs than there are.
func MostRotated(size int) int {
	d := 0
	for d+2 < 1<<min(30, size/(d+2)) {
		d++
	}
	return d
}

// Add adds the codes of the next sketch, as Sketch.AppendCodes gives them.
func (r *Rotations) Add(codes []byte) {
	r.hashes = append(r.hashes, wordsOf(codes))
}

// Count returns the number of rotations.
func (r *Rotations) Count() int { return r.params.blocks() }

// Comparisons returns how many pairs are compared, if the hashes are spread evenly.
func (r *Rotations) Comparisons() float64 {
	n, all := float64(len(r.hashes)), 0.0
	for i := range r.Count() {
		mask := r.params.mask(1 << i)
		all += math.Ldexp(n*(n-1)/2, -bits.OnesCount64(mask[0])-bits.OnesCount64(mask[1]))
	}
	return all
}

// Steps returns how often all rotations call goOn, unless one is stopped.
func (r *Rotations) Steps() int64 { return int64(r.Count()) * int64(len(r.hashes)) }

// rotated is the part of a hash that a rotation sorts by.
type rotated struct {
	front  uint64 // the block that comes first, spread over 64 bits
	number uint32 // number of the hash
}

// Pairs calls visit for each pair within the distance that rotation i, from 0, finds and no earlier rotation does. a
// and b are the numbers of the hashes in the order of Add, a before b. The pairs of one b come together, in no
// particular order. Over all rotations each pair comes once. goOn is called after each hash was compared; when it
// returns false, Pairs stops.
func (r *Rotations) Pairs(rotation int, visit func(a, b, distance int), goOn func() bool) {
	before := make([]words, rotation)
	for i := range before {
		before[i] = r.params.mask(1 << i)
	}
	all := r.sorted(r.params.mask(1 << rotation))
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].front == all[0].front {
			n++
		}
		if !r.compare(all[:n], before, visit, goOn) {
			return
		}
		all = all[n:]
	}
}

func (r *Rotations) sorted(mask words) []rotated {
	all := make([]rotated, len(r.hashes))
	for i, h := range r.hashes {
		// A block may lie in both words. Its two parts then stand at opposite ends of a word, and so do not overlap.
		all[i] = rotated{front: h[0]&mask[0] | h[1]&mask[1], number: uint32(i)}
	}
	slices.SortFunc(all, func(a, b rotated) int { return cmp.Or(cmp.Compare(a.front, b.front), cmp.Compare(a.number, b.number)) })
	return all
}

// compare compares all pairs of hashes with an equal front, unless it is stopped.
func (r *Rotations) compare(run []rotated, before []words, visit func(a, b, distance int), goOn func() bool) bool {
	for j := range run {
		y := r.hashes[run[j].number]
		for _, a := range run[:j] {
			x := r.hashes[a.number]
			differ := words{x[0] ^ y[0], x[1] ^ y[1]}
			distance := bits.OnesCount64(differ[0]) + bits.OnesCount64(differ[1])
			if distance <= r.params.Distance && !foundBefore(differ, before) {
				visit(int(a.number), int(run[j].number), distance)
			}
		}
		if !goOn() {
			return false
		}
	}
	return true
}

// foundBefore says whether two hashes are equal in a block of an earlier rotation.
func foundBefore(differ words, before []words) bool {
	for _, mask := range before {
		if differ[0]&mask[0]|differ[1]&mask[1] == 0 {
			return true
		}
	}
	return false
}
