package index

import (
	"slices"

	"github.com/unecho/unecho/index/entry"
)

// candidates ranks the documents of the window that share a band key with e, the most promising first. bands is the
// number of band keys of which not all references were read. out is the number of documents left out that may be
// similar enough.
//
// If few documents are met, they are ranked by the number of bands that they share. Where documents have much of their
// text in common, thousands are met, many in as many bands as the true original. These are distinguished by their
// outlines: documents that cannot reach the threshold are dropped, and those with the fewest differing bits come first;
// among equals the one indexed first.
func (r *Replica) candidates(e *entry.Entry) (ranks []rank, bands, out int) {
	r.window.meetRare(e.Keys)
	if r.history != nil {
		r.history.meetRare(e.Keys)
	}
	return r.candidatesMet(e)
}

// candidatesMet is what candidates does once the rare keys are read.
func (r *Replica) candidatesMet(e *entry.Entry) (ranks []rank, bands, out int) {
	w, h := &r.window, r.history
	popular := len(w.popular)
	if h != nil {
		popular += len(h.popular)
	}
	if popular == 0 {
		if ranks = r.rank(); len(ranks) <= r.params.Similarity.MaxCandidates {
			return ranks, 0, 0
		}
	}
	if r.own = (outline{}); r.verify.outlines(e) {
		r.verify.outline(e, &r.own)
	}
	bands = w.meetPopular()
	if h != nil {
		bands += h.meetPopular()
	}
	if r.outlined = r.own.n > 0; r.outlined {
		ranks, out = r.sift(e)
	} else {
		ranks = r.rank()
	}
	return r.identicalFirst(ranks, e), bands, out
}

// sifted is how many candidates are kept for each one that may be compared, because some of them may cost too much to
// compare.
const sifted = 4

// sift ranks the documents that were met by their outlines, and returns how many were left out that may be similar
// enough. A document that cannot be matched, such as a dead one, takes no place. The check for that reads the document,
// so it is skipped for a document that would get no place in any case, once one document is known to be left out.
func (r *Replica) sift(e *entry.Entry) (ranks []rank, out int) {
	w, h := &r.window, r.history
	w.outlines.begin()
	w.ranks = w.ranks[:0]
	bound, of := r.bound(), len(w.met)
	if h != nil {
		h.outlines.begin()
		of += len(h.met)
	}
	if bound.scarce(of) {
		w.meetInTurn()
		if h != nil {
			h.meetInTurn()
		}
	}
	out, done := r.siftIn(w, e, &bound, 0)
	switch {
	case h != nil && done:
		out, _ = r.siftIn(h, e, &bound, out)
	case h != nil:
		out += len(h.met)
	}
	if len(w.ranks) < r.sifted() {
		slices.Sort(w.ranks)
	}
	return w.ranks, out
}

// sifted is how many candidates are ranked.
func (r *Replica) sifted() int { return sifted * min(r.params.Similarity.MaxCandidates, unlimited) }

// siftIn adds the documents that were met in one window to the ranks, and to the number of those left out. It returns
// done as false if there was not work enough for all of them.
func (r *Replica) siftIn(of *window, e *entry.Entry, b *bound, before int) (out int, done bool) {
	w, x, most := &r.window, &r.block, r.sifted()
	out = before
	for met := of.met; len(met) > 0; {
		n := min(len(met), siftBlock)
		near, left := r.reachable(of, met[:n], b)
		for i := range near {
			k := rankOf(int(x.odd[i]), x.met[i])
			full := len(w.ranks) == most
			nearer := !full || k < w.ranks[most-1]
			if !nearer && out > 0 {
				out++
				continue
			}
			if f := (found{}); !r.eligible(&f, x.met[i], e) {
				continue
			}
			out += int(flag(full))
			if nearer {
				w.keepNearest(k, most)
			}
		}
		if met = met[n:]; left > 0 {
			return out + left + len(met), false
		}
	}
	return out, true
}

// reachable puts those documents into the block that their outlines do not rule out, and returns how many they are.
// left is how many it had no work left for.
func (r *Replica) reachable(of *window, met []uint32, b *bound) (n, left int) {
	o, x, newest := &of.outlines, &r.block, of.end-1
	for done := 0; done < len(met); {
		var k int
		if k, n = x.take(o, b, met[done:], newest, n); done+k < len(met) {
			n = r.takeElsewhere(o, newest-ref(met[done+k]), b, n)
			k++
		}
		done += k
	}
	if b.inTurn {
		n, left = x.spend(o, b, n)
	}
	some := n
	x.oddFolds(o, b, n)
	n = x.drop(n)
	x.oddWholes(o, b, n)
	n = x.drop(n)
	x.dropped += some - n
	return n, left
}

// takeElsewhere adds a document whose outline is not in its own place to the block of n, and returns the new number. If
// there is no outline, it is made now, unless the document has far too few or too many hashes.
func (r *Replica) takeElsewhere(o *outlines, at ref, b *bound, n int) int {
	place := o.find(at)
	if place < 0 {
		if place = r.outline(o, at, b); place < 0 {
			return n
		}
	}
	if o.heads[place]&headMask == o.lookup {
		return n
	}
	return r.block.add(o, b, at, place, n)
}

// bound decides which documents cannot reach the threshold. Two documents must share at least num / den of the hashes
// that they have together.
type bound struct {
	own      int                  // number of hashes of the entry\'s outline
	bits     [outlineWords]uint64 // the entry's outline: its fold, then its first half
	num, den int

	inTurn bool // not all documents can be looked at, so they come in an order that is the same on all members
	work   int  // number of hashes that may still be compared

	n    int   // number of hashes of another document
	most int16 // greatest number of bits in which that document may differ; -1 if it cannot be similar enough
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

// hashesOfStep is how many hashes of an outline count as one step of similarity.max_work. All hashes of a document
// count, whether its outline was cached or not.
const hashesOfStep = 2

// unlimitedWork is a number of steps that is never reached.
const unlimitedWork = 1 << 40

// scarce says whether this many documents may have more hashes together than may be compared, and sets inTurn to it.
func (b *bound) scarce(met int) bool {
	most := b.own
	if b.num > 0 {
		most = b.own * (b.den - b.num) / b.num
	}
	b.inTurn = met*most > b.work
	return b.inTurn
}

// reaches says whether a document of n hashes may be similar enough. A document without hashes has no outline and
// always may.
func (b *bound) reaches(n int) bool { return n == 0 || b.den*min(b.own, n) >= b.num*(b.own+n) }

// anyOdd is the number of bits of an outline: all may differ.
const anyOdd = 64 * outlineWords

// of sets n and most for a document of n hashes. The number of differing bits is the number of hashes that only one of
// the two documents has, or less by an even number.
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

// unlimited is a number of candidates that is never reached.
const unlimited = 1 << 24

// outline makes and stores the outline of a document, and returns its place. It returns -1 if the number of the
// document's hashes already rules it out, which saves reading the hashes.
func (r *Replica) outline(in *outlines, at ref, b *bound) int {
	f := r.found(at)
	r.candidate = f.document.entry
	if !b.reaches(r.verify.hashes(&r.candidate)) {
		return -1
	}
	var o outline
	r.verify.outline(&r.candidate, &o)
	return in.put(at, &o)
}

// begin passes e to the verifier, once for each entry.
func (r *Replica) begin(e *entry.Entry) {
	if !r.began {
		r.verify.begin(e)
		r.began = true
	}
}
