package window

import "github.com/unecho/unecho/index/entry"

// scan is a search among all documents that entered again. Segments in files are read one after another, so it goes on
// where it was when the call at hand is made again. It is kept until Done.
type scan struct {
	next    Ref // documents before it were looked at
	found   []Ref
	targets int // of an erasure: those that were looked for in their first places
}

// scan returns the scan of a key.
func (h *Files) scan(key entry.Position) *scan {
	at := h.scans[key]
	if at == nil {
		if at = new(scan); h.scans == nil {
			h.scans = map[entry.Position]*scan{}
		}
		h.scans[key] = at
	}
	return at
}

// erasing is the key of the scan of an erasure; those of a search are the positions that are searched.
//
//nolint:gochecknoglobals // a constant
var erasing = entry.Position{Offset: -1}

// again returns the documents in the queue that entered again and match. ok is false if a segment is wanted. At most one
// segment is wanted at a time, and only those with a match stay in memory. key names the scan.
func (w *Window) again(key entry.Position, match func(*Document) bool) (found []Ref, ok bool) {
	h := &w.files
	at := h.scan(key)
	for at.next = max(at.next, w.firstRef()); at.next < w.end; {
		s, _ := w.at(at.next)
		if !w.files.readable(s) {
			return nil, false
		}
		before := len(at.found)
		for i := range s.n {
			if d, _ := s.head(i); d.Again && match(&d) {
				at.found = append(at.found, s.first+Ref(i))
			}
		}
		if s.away && len(at.found) == before {
			delete(h.read, Want{s.filed.name, Whole})
		}
		at.next = s.first + Ref(s.n)
	}
	return at.found, true
}

// findAgain searches the whole window for a document that entered again, after it had left its first place before the
// oldest document entered. Only an operator asks for so old a document.
func (w *Window) findAgain(p entry.Position) (place Entered, ok bool) {
	if !w.refreshed {
		return Entered{}, false
	}
	found, _ := w.again(p, func(d *Document) bool { return d.Judged == p })
	for _, at := range found {
		if at >= w.oldest {
			return w.At(at), true
		}
	}
	return Entered{}, false
}
