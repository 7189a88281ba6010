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
	if r.outlined = r.own.n > 0; !r.outlined {
		return w.rank(), len(w.popular), 0
	}
	bands = w.meetPopular()
	ranks, out = r.sift()
	return ranks, bands, out
}

// sifted is how many candidates are kept for each that may be compared: some of them may be dead.
const sifted = 4

// sift ranks what was met by its outlines, and says how many that may be similar enough are left out.
func (r *Replica) sift() (ranks []rank, out int) {
	w, o := &r.window, &r.outlines
	o.begin()
	w.ranks = w.ranks[:0]
	num, den := r.verify.shares()
	most, reachable, fold := sifted*min(r.params.Similarity.MaxCandidates, unlimited), 0, r.own.fold()
	for _, at := range w.met {
		known := o.find(at)
		if known.head == nil {
			known = r.outline(at)
		}
		head := *known.head
		if head&headMask == o.lookup {
			continue
		}
		*known.head = head&^headMask | o.lookup
		odd, n := 0, int(head>>headBits&headMask)
		if n > 0 && num > 0 {
			need, least, both := num*(r.own.n+n), min(r.own.n, n), r.own.n+n
			if den*min((both-oddFolds(&fold, known.fold))/2, least) < need {
				continue
			}
			if odd = r.own.odd(known.whole); den*min((both-odd)/2, least) < need {
				continue
			}
		} else if n > 0 {
			odd = r.own.odd(known.whole)
		}
		if s, i := w.at(at); !w.shares(s, i) {
			continue
		}
		reachable++
		w.keepNearest(rank(odd)<<rankBits|rank(at), most)
	}
	if len(w.ranks) < most {
		slices.Sort(w.ranks)
	}
	return w.ranks, reachable - len(w.ranks)
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

// outline makes the outline of a document.
func (r *Replica) outline(at ref) remembered {
	s, i := r.window.at(at)
	r.candidate = s.document(i).entry
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
