package index

import "slices"

// rank orders candidates, the least first. Its low rankBits bits are the candidate's number, the bits above them what
// it is ranked by.
type rank uint64

const rankBits = 48

// rankOf ranks a document. What is of history counts as older than everything else.
func rankOf(by int, at ref) rank { return rank(by)<<rankBits | rank(at^past) }

func (r rank) ref() ref { return ref(r&(1<<rankBits-1)) ^ past }

// rank orders the documents that were met: those met in the most bands come first, and among equals the one indexed
// first.
func (w *window) rank() []rank {
	newest := w.end - 1
	slices.Sort(w.met)
	w.ranks = w.ranks[:0]
	for i := 0; i < len(w.met); {
		j := i + 1
		for ; j < len(w.met) && w.met[j] == w.met[i]; j++ {
		}
		w.ranks = append(w.ranks, rankOf(len(w.tables)-(j-i), newest-ref(w.met[i])))
		i = j
	}
	slices.Sort(w.ranks)
	return w.ranks
}

// rank orders the documents that were met in the window and in history.
func (r *Replica) rank() []rank {
	w := &r.window
	ranks := w.rank()
	if r.history != nil {
		w.ranks = append(ranks, r.history.rank()...)
		slices.Sort(w.ranks)
	}
	return w.ranks
}

// keepNearest inserts a rank that is one of the least most ranks. Once there are that many, w.ranks is sorted.
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
