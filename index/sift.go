package index

import (
	"slices"

	"github.com/unecho/unecho/index/entry"
)

// candidates ranks the documents of the window that share a band key with e, the most promising first; bands is the number of
// band keys of which not all was read, out that of documents left out which may be similar enough.
//
// Few that are met are ranked by the number of bands that they share. Where documents have much of their text in common,
// thousands are met, in as many bands each as the true original. They are told apart by their outlines: what cannot reach
// the threshold is dropped, and those of which the fewest bits differ come first; of these the one indexed first.
func (r *Replica) candidates(e *entry.Entry) (ranks []rank, bands, out int) {
	w := &r.window
	w.meetRare(e.Keys)
	if len(w.popular) == 0 {
		if ranks = w.rank(); len(ranks) <= r.params.Similarity.MaxCandidates {
			return ranks, 0, 0
		}
	}
	if r.own = (outline{}); r.verify.outlines(e) {
		r.verify.outline(e, &r.own)
	}
	bands = w.meetPopular()
	if r.outlined = r.own.n > 0; r.outlined {
		ranks, out = r.sift(e)
	} else {
		ranks = w.rank()
	}
	return r.identicalFirst(ranks, e), bands, out
}

// sifted is how many candidates are kept for each that may be compared: some of them may cost too much.
const sifted = 4

// sift ranks what was met by its outlines, and says how many that may be similar enough are left out. What cannot be matched, as
// the dead cannot, takes no place; among what has none in any case it is looked for until one that can be is found.
func (r *Replica) sift(e *entry.Entry) (ranks []rank, out int) {
	w, x := &r.window, &r.block
	r.outlines.begin()
	w.ranks = w.ranks[:0]
	most := sifted * min(r.params.Similarity.MaxCandidates, unlimited)
	bound := r.bound()
	if bound.scarce(len(w.met)) {
		w.meetInTurn()
	}
	for met := w.met; len(met) > 0; {
		n := min(len(met), siftBlock)
		near, left := r.reachable(met[:n], &bound)
		for i := range near {
			k := rank(x.odd[i])<<rankBits | rank(x.met[i])
			full := len(w.ranks) == most
			nearer := !full || k < w.ranks[most-1]
			if !nearer && out > 0 {
				out++
				continue
			}
			if f := r.found(x.met[i]); !r.eligible(&f, e) {
				continue
			}
			out += int(flag(full))
			if nearer {
				w.keepNearest(k, most)
			}
		}
		if met = met[n:]; left > 0 {
			out += left + len(met)
			break
		}
	}
	if len(w.ranks) < most {
		slices.Sort(w.ranks)
	}
	return w.ranks, out
}

// reachable leaves those of some documents in the block that their outlines do not drop, and says how many; left is how many it
// had no work left for.
func (r *Replica) reachable(met []uint32, b *bound) (n, left int) {
	o, x, newest := &r.outlines, &r.block, r.window.end-1
	for done := 0; done < len(met); {
		var k int
		if k, n = x.take(o, b, met[done:], newest, n); done+k < len(met) {
			n = r.takeElsewhere(newest-ref(met[done+k]), b, n)
			k++
		}
		done += k
	}
	if b.inTurn {
		n, left = x.spend(o, b, n)
	}
	x.oddFolds(o, b, n)
	n = x.drop(n)
	x.oddWholes(o, b, n)
	return x.drop(n), left
}

// takeElsewhere takes a document whose outline is not in its own place. It is made now if it is nowhere, unless the document has
// far too few or too many hashes.
func (r *Replica) takeElsewhere(at ref, b *bound, n int) int {
	o := &r.outlines
	place := o.find(at)
	if place < 0 {
		if place = r.outline(at, b); place < 0 {
			return n
		}
	}
	if o.heads[place]&headMask == o.lookup {
		return n
	}
	return r.block.add(o, b, at, place, n)
}

// bound says what cannot reach the threshold: two documents must share num / den of the hashes that they have together.
type bound struct {
	own      int                  // hashes
	bits     [outlineWords]uint64 // of the own outline: folded, and a half
	num, den int

	inTurn bool // documents come in an order that all members know, for not all can be compared
	work   int  // hashes that may still be compared

	n    int   // of another document's hashes
	most int16 // bits that may differ from it; -1 if it cannot be similar enough
}

func (r *Replica) bound() bound {
	b := bound{own: r.own.n}
	fold, half := r.own.fold(), r.own.half()
	copy(b.bits[copy(b.bits[:], fold[:]):], half[:])
	b.num, b.den = r.verify.shares()
	b.work = hashesOfStep * min(r.params.Similarity.MaxWork, unlimitedWork)
	b.of(0)
	return b
}

// hashesOfStep is how many hashes of an outline are a step of similarity.max_work. All of a document's count, remembered or not.
const hashesOfStep = 2

// unlimitedWork is more than can be done.
const unlimitedWork = 1 << 40

// scarce says that so many documents may have more hashes than may be compared, and notes it.
func (b *bound) scarce(met int) bool {
	most := b.own
	if b.num > 0 {
		most = b.own * (b.den - b.num) / b.num
	}
	b.inTurn = met*most > b.work
	return b.inTurn
}

// reaches says that a document of so many hashes may be similar enough. One without hashes cannot be told apart.
func (b *bound) reaches(n int) bool { return n == 0 || b.den*min(b.own, n) >= b.num*(b.own+n) }

// anyOdd bits are as many as can differ.
const anyOdd = 64 * outlineWords

// of takes the number of another document's hashes. As many bits differ as there are hashes in one document only, or fewer by
// an even number.
func (b *bound) of(n int) {
	b.n = n
	switch {
	case n == 0 || b.num == 0:
		b.most = anyOdd
	case !b.reaches(n):
		b.most = -1
	default:
		b.most = int16(min((b.own+n)*(b.den-2*b.num)/b.den, anyOdd))
	}
}

// unlimited candidates are more than there can be.
const unlimited = 1 << 24

// keepNearest keeps a rank that is one of the least so many. When there are so many, they are in order.
func (w *window) keepNearest(k rank, most int) {
	if n := len(w.ranks); n < most {
		if w.ranks = append(w.ranks, k); n+1 == most {
			slices.Sort(w.ranks)
		}
		return
	}
	at, _ := slices.BinarySearch(w.ranks, k)
	copy(w.ranks[at+1:], w.ranks[at:most-1])
	w.ranks[at] = k
}

// outline makes the outline of a document, and says where it is; -1 if its number of hashes says enough: that costs as many hashes
// less.
func (r *Replica) outline(at ref, b *bound) int {
	s, i := r.window.at(at)
	r.candidate = s.document(i).entry
	if !b.reaches(r.verify.hashes(&r.candidate)) {
		return -1
	}
	var o outline
	r.verify.outline(&r.candidate, &o)
	return r.outlines.put(at, &o)
}

// begin has the verifier take e, once for each entry.
func (r *Replica) begin(e *entry.Entry) {
	if !r.began {
		r.verify.begin(e)
		r.began = true
	}
}
