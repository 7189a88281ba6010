package window

import "github.com/unecho/unecho/index/entry"

// Erase erases the documents that entered by the entries at these positions, as of a journal offset. That takes
// in a document that has left the window while its segment is still there, and each place of one that entered
// again.
func (w *Window) Erase(targets []entry.Position, offset int64) {
	for _, target := range targets {
		for at := w.search(target, w.firstRef()); at < w.end; at++ {
			d := w.head(at)
			if d.Position != target {
				break
			}
			if d.Judged == target {
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
func (w *Window) eraseAgain(targets []entry.Position, offset int64) {
	judged := make(map[entry.Position]bool, len(targets))
	for _, target := range targets {
		judged[target] = true
	}
	for at := w.firstRef(); at < w.end; at++ {
		if d := w.head(at); d.Again && judged[d.Judged] {
			w.erase(at, offset)
		}
	}
}

// erase kills a document and overwrites what it was recognised by, as of a journal offset. The lengths stay, so that
// the bounds of the window and the work that lookups count are the same on a replica that is restored later.
func (w *Window) erase(number Ref, offset int64) {
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
	_, rest := s.head(i)
	return rest
}
