package window

import (
	"slices"

	"github.com/unecho/unecho/index/entry"
)

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

// again returns the documents in the queue that entered again and were judged at one of some positions. ok is false if a
// segment is wanted. At most one segment is wanted at a time, and only those with a match stay in memory. key names the scan.
func (w *Window) again(key entry.Position, judged ...entry.Position) (found []Ref, ok bool) {
	h := &w.files
	at := h.scan(key)
	for at.next = max(at.next, w.firstRef()); at.next < w.end; {
		s, _ := w.at(at.next)
		if s.mayHaveAgain(judged) {
			if !h.readable(s) {
				return nil, false
			}
			some := s.findAgain(judged)
			if at.found = append(at.found, some...); s.away && len(some) == 0 {
				delete(h.read, Want{s.filed.name, Whole})
			}
		}
		at.next = s.first + Ref(s.n)
	}
	return at.found, true
}

// findAgain returns the documents that entered again and were judged at one of some positions. Of a sealed segment it notes
// all that entered again, so that it is read once, and not for each record of an erasure of thousands.
func (s *segment) findAgain(judged []entry.Position) (found []Ref) {
	all := []uint32{}
	for i := range s.n {
		d, _ := s.head(i)
		if !d.Again {
			continue
		}
		if all = append(all, hashPosition(d.Judged)); slices.Contains(judged, d.Judged) {
			found = append(found, s.first+Ref(i))
		}
	}
	if s.sealed {
		slices.Sort(all)
		s.again = slices.Clone(all) // which has no room for more
	}
	return found
}

// mayHaveAgain says whether findAgain may find something.
func (s *segment) mayHaveAgain(judged []entry.Position) bool {
	return s.again == nil || slices.ContainsFunc(judged, func(p entry.Position) bool {
		_, is := slices.BinarySearch(s.again, hashPosition(p))
		return is
	})
}

const againBytes = 4 // of a hash

func hashPosition(p entry.Position) uint32 { return hashKey(uint64(p.Offset)) + uint32(p.Entry) }

// findAgain searches the whole window for a document that entered again, after it had left its first place before the
// oldest document entered. Only an operator asks for so old a document.
func (w *Window) findAgain(p entry.Position) (place Entered, ok bool) {
	if !w.refreshed {
		return Entered{}, false
	}
	found, _ := w.again(p, p)
	for _, at := range found {
		if at >= w.oldest {
			return w.At(at), true
		}
	}
	return Entered{}, false
}
