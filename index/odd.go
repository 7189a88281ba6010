package index

import "math/bits"

// block holds up to siftBlock documents that are sifted together: their numbers, the places of their outlines, how many
// bits may differ (-1: too few or too many hashes to be similar), and how many do.
type block struct {
	met    [siftBlock]ref
	places [siftBlock + oddAhead]uint32
	most   [siftBlock]int16
	odd    [siftBlock]int16

	dropped int // documents that the lookup at hand has ruled out
}

const (
	siftBlock = 64
	oddAhead  = 8 // how many places ahead outlines are fetched
)

// take adds documents to the block, behind the n that are there, and leaves out those that this lookup has met before.
// ages says for each document how many were indexed after it. take stops at the first document whose outline is not in
// its own place. It returns how many ages it has read, and how many documents are then in the block. Documents met
// before are skipped without a branch, because the processor could not predict it.
func (x *block) take(o *outlines, b *bound, ages []uint32, newest ref, n int) (read, taken int) {
	for i, age := range ages {
		at := newest - ref(age)
		place := o.own(at)
		head := o.heads[place]
		if !names(head, at) {
			return i, n
		}
		if hashes := hashesOf(head); hashes != b.n {
			b.of(hashes)
		}
		k := n & (siftBlock - 1)
		x.met[k], x.places[k], x.most[k] = at, uint32(place), b.most
		o.heads[place] = head&^headMask | o.lookup
		if head&headMask != o.lookup {
			n++
		}
	}
	return len(ages), n
}

// add adds a document that this lookup has not met before, behind the n that are there.
func (x *block) add(o *outlines, b *bound, at ref, place, n int) int {
	b.of(hashesOf(o.heads[place]))
	x.met[n], x.places[n], x.most[n] = at, uint32(place), b.most
	o.heads[place] = o.heads[place]&^headMask | o.lookup
	return n + 1
}

// spend charges the hashes of the first n documents against b.work. It charges only documents whose number of hashes
// allows them to be similar enough: whether others have an outline depends on what was met before, which is not the
// same on every member. It returns how many of the n the work suffices for, and how many it does not.
func (x *block) spend(o *outlines, b *bound, n int) (some, left int) {
	for i, place := range x.places[:n] {
		if x.most[i] < 0 {
			continue
		}
		if b.work -= hashesOf(o.heads[place]); b.work < 0 {
			return i, n - i
		}
	}
	return n, 0
}

// drop removes those of the first n documents of which too many bits differ, and returns how many are left.
func (x *block) drop(n int) (left int) {
	for i := range n {
		to, most, odd := left&(siftBlock-1), x.most[i], x.odd[i]
		x.met[to], x.places[to], x.most[to], x.odd[to] = x.met[i], x.places[i], most, odd
		if odd <= most {
			left++
		}
	}
	return left
}

// oddFolds counts the differing bits of the first n folds into x.odd.
func (x *block) oddFolds(o *outlines, b *bound, n int) {
	if n > 0 && hasOddBlocks() {
		oddFoldBlock(&x.odd[0], &b.bits, &o.folds[0], &x.places[0], n)
		return
	}
	x.eachFold(o, b, n)
}

func (x *block) eachFold(o *outlines, b *bound, n int) {
	own := (*[foldWords]uint64)(b.bits[:foldWords])
	for i, place := range x.places[:n] {
		x.odd[i] = int16(oddWords(own, &o.folds[place]))
	}
}

func oddWords(p, q *[foldWords]uint64) int {
	return bits.OnesCount64(p[0]^q[0]) + bits.OnesCount64(p[1]^q[1]) + bits.OnesCount64(p[2]^q[2]) + bits.OnesCount64(
		p[3]^q[3]) +
		bits.OnesCount64(p[4]^q[4]) + bits.OnesCount64(p[5]^q[5]) + bits.OnesCount64(p[6]^q[6]) + bits.OnesCount64(p[7]^q[7])
}

// oddWholes counts the differing bits of the first n whole outlines into x.odd. One half is stored; the other half
// follows from it and the fold.
func (x *block) oddWholes(o *outlines, b *bound, n int) {
	if n > 0 && hasOddBlocks() {
		oddWholeBlock(&x.odd[0], &b.bits, &o.folds[0], &o.halves[0], &x.places[0], n)
		return
	}
	x.eachWhole(o, b, n)
}

func (x *block) eachWhole(o *outlines, b *bound, n int) {
	for i, place := range x.places[:n] {
		fold, halves, odd := &o.folds[place], &o.halves[place], 0
		for k := range halves {
			half := b.bits[foldWords+k] ^ halves[k]
			odd += bits.OnesCount64(half) + bits.OnesCount64(half^b.bits[k]^fold[k])
		}
		x.odd[i] = int16(odd)
	}
}
