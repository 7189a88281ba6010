package window

import "github.com/unecho/unecho/index/entry"

// Erase erases the documents that entered by the entries at these positions, as of a journal offset. That takes
// in a document that has left the window while its segment is still there, and each place of one that entered
// again. If a segment is wanted it ends early, and the same call goes on: one segment is wanted after another.
func (w *Window) Erase(targets []entry.Position, offset int64) {
	done := w.files.scan(erasing)
	for ; done.targets < len(targets); done.targets++ {
		target, found := targets[done.targets], []Ref(nil)
		w.entered(target, func(at Ref, d *Document) {
			if d.Judged == target {
				found = append(found, at)
			}
		})
		if !w.eraseAll(found, offset) {
			return
		}
	}
	if !w.refreshed {
		return
	}
	if found, ok := w.again(erasing, targets...); ok { // they are in no order of their judgement
		w.eraseAll(found, offset)
	}
}

// eraseAll erases documents whose segments were read, and returns false if a segment is wanted.
func (w *Window) eraseAll(all []Ref, offset int64) bool {
	for _, at := range all {
		w.files.Readable(at)
	}
	if w.files.Wants() {
		return false
	}
	for _, at := range all {
		w.erase(at, offset)
	}
	return true
}

// erase kills a document and overwrites what it was recognised by, as of a journal offset. The lengths stay, so that
// the bounds of the window and the work that lookups count are the same on a replica that is restored later. Its segment
// must be readable.
func (w *Window) erase(number Ref, offset int64) {
	s, i := w.at(number)
	w.files.hold(s)
	w.files.forget(s) // what lies in the file is out of date
	s.changes.kill(i)
	if s.captured {
		s.move(len(s.block)) // a Capture may still read the old block
	}
	entry.Erase(s.entryOf(i))
	clear(s.digest(i))
	s.erased = offset + 1
	s.edits++
}

// entryOf returns the encoded entry of a document.
func (s *segment) entryOf(i int) []byte {
	_, rest := s.head(i)
	return rest
}
