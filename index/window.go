package index

import (
	"bytes"

	"github.com/unecho/unecho/index/entry"
)

// window is the queue of remembered documents and the buckets that find them.
type window struct {
	segments []*segment // ascending by number; the last one is open
	oldest   ref        // the oldest visible document, or the next to come
	visible  int
	bytes    int64

	bands   int
	width   int   // bytes of a band key
	age     int64 // ms; 0 is no bound, as for the two below
	count   int
	maximum int64

	heads   []ref // per band a table of size slots: slot -> newest document
	size    int   // a power of two
	linked  int   // documents in the buckets
	lookups uint64
}

func newWindow(p Params, bands int) window {
	return window{
		oldest: newRef(1, 0), bands: bands, width: p.Similarity.KeyBytes,
		age: p.Window.Age.Milliseconds(), count: p.Window.Count, maximum: int64(p.Window.Bytes),
		heads: make([]ref, bands<<8), size: 1 << 8,
	}
}

func (w *window) at(r ref) (*segment, int) {
	return w.segments[r.segment()-w.segments[0].number], r.index()
}

// end is the ref that the next document gets.
func (w *window) end() ref {
	if len(w.segments) == 0 {
		return w.oldest
	}
	s := w.segments[len(w.segments)-1]
	if s.sealed {
		return newRef(s.number+1, 0)
	}
	return newRef(s.number, len(s.docs))
}

// expire makes invisible what is outside of a bound at stream time now, and drops whole segments that became so.
func (w *window) expire(now int64) {
	for w.visible > 0 {
		s, i := w.at(w.oldest)
		d := &s.docs[i]
		old := w.age > 0 && now-d.applied >= w.age
		if !old && (w.count == 0 || w.visible <= w.count) && (w.maximum == 0 || w.bytes <= w.maximum) {
			return
		}
		w.visible--
		w.bytes -= d.bytes
		w.oldest = w.after(s, i)
	}
}

func (w *window) after(s *segment, i int) ref {
	if i+1 < len(s.docs) || !s.sealed {
		return newRef(s.number, i+1)
	}
	w.segments[0] = nil
	w.segments = w.segments[1:]
	return newRef(s.number+1, 0)
}

// insert adds a document as the newest of its buckets.
func (w *window) insert(e *entry.Entry, d document) {
	if n := len(w.segments); n == 0 || w.segments[n-1].sealed {
		w.segments = append(w.segments, &segment{number: w.end().segment()})
	}
	s := w.segments[len(w.segments)-1]
	i := s.add(e, d, w.bands)
	w.visible++
	w.bytes += d.bytes
	w.linked++
	if w.linked > w.size {
		w.rebuild()
		return
	}
	w.link(s, i)
}

func (w *window) link(s *segment, i int) {
	keys := s.slab[s.docs[i].keys:][:w.bands*w.width]
	for b := range w.bands {
		slot := w.slot(b, keys[b*w.width:][:w.width])
		s.prev[i*w.bands+b] = w.heads[slot]
		w.heads[slot] = newRef(s.number, i)
	}
}

// rebuild links all visible documents anew, into a table with room for twice as many.
func (w *window) rebuild() {
	for w.size < 2*w.visible {
		w.size *= 2
	}
	w.heads = make([]ref, w.bands*w.size)
	w.linked = 0
	for r := w.oldest; r < w.end(); {
		s, i := w.at(r)
		w.link(s, i)
		w.linked++
		if r++; i+1 == len(s.docs) && s.sealed {
			r = newRef(s.number+1, 0)
		}
	}
}

// slot is where a key's bucket begins. Each band has slots of its own, so that a document stands in a chain but once.
func (w *window) slot(band int, key []byte) int {
	var h uint64
	for i, c := range key {
		h ^= uint64(c) << (8 * i)
	}
	h *= 0x9e3779b97f4a7c15
	return band*w.size + int((h^h>>29)&uint64(w.size-1))
}

// candidates calls yield for each visible document that shares a band key with keys, each once, newest first within a band.
// At most most documents of equal key are met in a band; it returns the number of bands that were cut there.
func (w *window) candidates(keys []byte, most int, yield func(*segment, int)) (cut int) {
	w.lookups++
	for b := range w.bands {
		key := keys[b*w.width:][:w.width]
		met := 0
		for r := w.heads[w.slot(b, key)]; r >= w.oldest && r != noRef; {
			s, i := w.at(r)
			r = s.prev[i*w.bands+b]
			if !bytes.Equal(s.slab[s.docs[i].keys:][b*w.width:][:w.width], key) {
				continue
			}
			if met++; met > most {
				cut++
				break
			}
			if s.mark[i] != w.lookups {
				s.mark[i] = w.lookups
				yield(s, i)
			}
		}
	}
	return cut
}

// position of the oldest visible document; ok is false when there is none.
func (w *window) first() (d *document, ok bool) {
	if w.visible == 0 {
		return nil, false
	}
	s, i := w.at(w.oldest)
	return &s.docs[i], true
}

// find returns the visible document that was judged at p. Documents stand in the order of their positions.
func (w *window) find(p Position) (*segment, int, bool) {
	for _, s := range w.segments {
		if n := len(s.docs); n == 0 || s.docs[n-1].position.Before(p) {
			continue
		}
		lo, hi := 0, len(s.docs)
		for lo < hi {
			if mid := (lo + hi) / 2; s.docs[mid].position.Before(p) {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		return s, lo, s.docs[lo].position == p
	}
	return nil, 0, false
}
