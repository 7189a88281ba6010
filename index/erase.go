package index

import (
	"cmp"
	"slices"

	"github.com/unecho/unecho/index/entry"
)

// MostErased bounds the targets of an Erase. A record with more changes nothing. The bound keeps the time short in
// which a replica applies one record: each target may be in a segment of its own, and that segment is copied.
const MostErased = 256

// Erase lets the documents that were judged at Targets be dead, and overwrites what they were recognised by: evidence,
// digest, id and content hash. A verdict that is held stays as it is, so a document on its way out goes where it would have
// gone. Band keys, and the hashes of 27 bits of its
// fine keys, stay until the document leaves the window, because the tables are rebuilt from them.
type Erase struct {
	Header
	Targets []Position
}

func (rec *Erase) apply(r *Replica, at Stamp) Effect {
	if len(rec.Targets) > MostErased {
		return Effect{}
	}
	r.clocks.appended(at.LogAppendTime, rec.Wall)
	r.stats.Erased = at.Offset + 1
	r.requests.erase(rec.Targets)
	r.window.eraseJudged(rec.Targets, at.Offset)
	return Effect{Applied: true}
}

func (rec *Erase) fold(h running, _ *Replica) running {
	for _, t := range rec.Targets {
		h = h.mix(uint64(t.Offset)).mix(uint64(t.Entry))
	}
	return h
}

// eraseJudged erases the documents that entered by the entries at these positions, as of a journal offset. That takes
// in a document that has left the window while its segment is still there, and each place of one that entered
// again.
func (w *window) eraseJudged(targets []Position, offset int64) {
	for _, target := range targets {
		for at := w.search(target, w.firstRef()); at < w.end; at++ {
			d := w.head(at)
			if d.position != target {
				break
			}
			if d.judged == target {
				w.erase(at, offset)
			}
		}
	}
	if w.refreshed {
		w.eraseAgain(targets, offset)
	}
}

// eraseAgain erases the places of documents that entered again. It reads the whole window, because these are in no
// order of their judgement.
func (w *window) eraseAgain(targets []Position, offset int64) {
	judged := make(map[Position]bool, len(targets))
	for _, target := range targets {
		judged[target] = true
	}
	for at := w.firstRef(); at < w.end; at++ {
		if d := w.head(at); d.again && judged[d.judged] {
			w.erase(at, offset)
		}
	}
}

// erase kills a document and overwrites what it was recognised by, as of a journal offset. The lengths stay, so that
// the bounds of the window and the work that lookups count are the same on a replica that is restored later.
func (w *window) erase(number ref, offset int64) {
	s, i := w.at(number)
	s.changes.kill(i)
	if s.captured {
		s.move(len(s.block)) // a Capture may still read the old block
	}
	entry.Erase(s.entryOf(i))
	clear(s.digest(i))
	s.erased = offset + 1
}

// entryOf returns the encoded entry of a document.
func (s *segment) entryOf(i int) []byte {
	_, rest := readDocument(s.record(i), s.base, s.first+ref(i))
	return rest
}

// SortTargets sorts targets by their place in the journal and drops those named twice. Erasing in this order touches
// each segment in one record, or in few.
func SortTargets(targets []Position) []Position {
	slices.SortFunc(targets, func(a, b Position) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Entry, b.Entry))
	})
	return slices.Compact(targets)
}
