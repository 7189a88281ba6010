package index

import (
	"slices"
	"unsafe"

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
		ranks, out = r.sift()
	} else {
		ranks = w.rank()
	}
	return r.identicalFirst(ranks, e), bands, out
}

// sifted is how many candidates are kept for each that may be compared: some of them may be dead.
const sifted = 4

// sift ranks what was met by its outlines, and says how many that may be similar enough are left out. It goes by blocks: the
// outlines of one are fetched while they are found.
func (r *Replica) sift() (ranks []rank, out int) {
	w := &r.window
	r.outlines.begin()
	w.ranks = w.ranks[:0]
	most, reachable := sifted*min(r.params.Similarity.MaxCandidates, unlimited), 0
	bound := r.bound()
	for met := w.met; len(met) > 0; {
		block := met[:min(len(met), siftBlock)]
		met = met[len(block):]
		for _, k := range r.known(block, &bound) {
			odd, ok := bound.odd(k.remembered)
			if !ok {
				continue
			}
			if s, i := w.at(k.at); !w.shares(s, i) {
				continue
			}
			reachable++
			w.keepNearest(rank(odd)<<rankBits|rank(k.at), most)
		}
	}
	if len(w.ranks) < most {
		slices.Sort(w.ranks)
	}
	return w.ranks, reachable - len(w.ranks)
}

// met is a document of a block, and what is remembered of it.
type met struct {
	remembered
	at ref
}

const siftBlock = 64

// known finds the outlines of documents, but for those that this lookup has met before, and those that have far too few or too
// many hashes.
func (r *Replica) known(block []ref, b *bound) []met {
	o, n := &r.outlines, 0
	for _, at := range block {
		k := o.find(at)
		switch {
		case k.head == nil:
			if k = r.outline(at, b); k.head == nil {
				continue
			}
		case *k.head&headMask == o.lookup:
			continue
		}
		*k.head = *k.head&^headMask | o.lookup
		prefetchAt(unsafe.Pointer(k.fold))
		r.block[n] = met{k, at}
		n++
	}
	return r.block[:n]
}

// bound says what cannot reach the threshold: two documents must share num / den of the hashes that they have together.
type bound struct {
	own      *outline
	fold     [foldWords]uint64
	num, den int
}

func (r *Replica) bound() bound {
	num, den := r.verify.shares()
	return bound{own: &r.own, fold: r.own.fold(), num: num, den: den}
}

// reaches says that a document of so many hashes may be similar enough.
func (b *bound) reaches(n int) bool { return n == 0 || b.den*min(b.own.n, n) >= b.num*(b.own.n+n) }

// odd is the number of bits that differ from a document's; ok is false if they are too many.
func (b *bound) odd(k remembered) (odd int, ok bool) {
	n := int(*k.head >> headBits & headMask)
	if n == 0 {
		return 0, true
	}
	need, least, both := b.num*(b.own.n+n), min(b.own.n, n), b.own.n+n
	if b.num > 0 && b.den*min((both-oddFolds(&b.fold, k.fold))/2, least) < need {
		return 0, false
	}
	odd = b.own.odd(k.whole)
	return odd, b.num == 0 || b.den*min((both-odd)/2, least) >= need
}

// unlimited candidates are more than there can be.
const unlimited = 1 << 24

// keepNearest keeps a rank if it is one of the least so many. When there are so many, they are in order.
func (w *window) keepNearest(k rank, most int) {
	switch n := len(w.ranks); {
	case n < most:
		if w.ranks = append(w.ranks, k); n+1 == most {
			slices.Sort(w.ranks)
		}
	case k < w.ranks[n-1]:
		at, _ := slices.BinarySearch(w.ranks, k)
		copy(w.ranks[at+1:], w.ranks[at:n-1])
		w.ranks[at] = k
	}
}

// outline makes the outline of a document, unless its number of hashes says enough: that costs as many hashes less.
func (r *Replica) outline(at ref, b *bound) remembered {
	s, i := r.window.at(at)
	r.candidate = s.document(i).entry
	if !b.reaches(r.verify.hashes(&r.candidate)) {
		return remembered{}
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
