package window

import "github.com/unecho/unecho/index/entry"

// Erase erases the documents that entered by the entries at these positions, as of a journal offset. That takes
// in a document that has left the window while its segment is still there, and each place of one that entered
// again. It changes nothing if segments are wanted.
func (w *Window) Erase(targets []entry.Position, offset int64) {
	judged := make(map[entry.Position]bool, len(targets))
	var all []Ref
	for _, target := range targets {
		judged[target] = true
		w.entered(target, func(at Ref, d *Document) {
			if d.Judged == target {
				all = append(all, at)
			}
		})
	}
	if w.refreshed { // those that entered again are in no order of their judgement
		found, _ := w.again(erasing, func(d *Document) bool { return judged[d.Judged] })
		all = append(all, found...)
		for _, at := range all { // again may have let its segment go
			w.Readable(at)
		}
	}
	if w.Wants() {
		return
	}
	for _, at := range all {
		w.erase(at, offset)
	}
}

// erase kills a document and overwrites what it was recognised by, as of a journal offset. The lengths stay, so that
// the bounds of the window and the work that lookups count are the same on a replica that is restored later. Its segment
// must be readable.
func (w *Window) erase(number Ref, offset int64) {
	s, i := w.at(number)
	w.hold(s)
	w.shelf.forget(s) // what lies in the file is out of date
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
