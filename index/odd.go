package index

import "math/bits"

// block is documents that are sifted together: the places of their outlines, how many bits of these may differ, and
// how many do.
type block struct {
	met    [siftBlock]ref
	places [siftBlock + oddAhead]uint32
	most   [siftBlock]int16
	odd    [siftBlock]int16
}

const (
	siftBlock = 64
	oddAhead  = 8 // so many places ahead outlines are fetched
)

// take takes documents of which so many were indexed after each, behind n others, but for those that this lookup has met before.
// It ends at the first whose outline is not in its own place, and says how many documents that are, and how many are in the block
// then. There is no branch for what was met before, for it cannot be guessed.
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

// add adds a document that this lookup has not met before.
func (x *block) add(o *outlines, b *bound, at ref, place, n int) int {
	b.of(hashesOf(o.heads[place]))
	x.met[n], x.places[n], x.most[n] = at, uint32(place), b.most
	o.heads[place] = o.heads[place]&^headMask | o.lookup
	return n + 1
}

// spend counts the hashes of those of the first n that may be similar enough by their number, for others have an outline only if
// they were met by a larger or smaller document. It says for how many of the n there is work left, and for how many not.
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

// drop drops those of the first n of which too many bits differ, and says how many are left.
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

// oddFolds counts the bits that differ in the first n folds.
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
	return bits.OnesCount64(p[0]^q[0]) + bits.OnesCount64(p[1]^q[1]) + bits.OnesCount64(p[2]^q[2]) + bits.OnesCount64(p[3]^q[3]) +
		bits.OnesCount64(p[4]^q[4]) + bits.OnesCount64(p[5]^q[5]) + bits.OnesCount64(p[6]^q[6]) + bits.OnesCount64(p[7]^q[7])
}

// oddWholes counts the bits that differ in the first n outlines. What differs in a half is found in the other one by the fold.
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
