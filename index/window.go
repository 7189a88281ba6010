package index

import (
	"bytes"
	"encoding/binary"

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

	heads   []link // per band a table of size slots: slot -> newest document
	size    int    // a power of two
	lookups uint64
	walks   []walk // of the lookup at hand: one per band that goes on
}

// walk is a lookup in one band: how far it has come, and how many documents of equal key it has met.
type walk struct {
	band, met int
	tag       uint64
	next      link
}

func newWindow(p Params, bands int) window {
	return window{
		oldest: newRef(1, 0), bands: bands, width: p.Similarity.KeyBytes,
		age: p.Window.Age.Milliseconds(), count: p.Window.Count, maximum: int64(p.Window.Bytes),
		heads: make([]link, bands<<8), size: 1 << 8, walks: make([]walk, 0, bands),
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
		w.segments = append(w.segments, w.newSegment())
	}
	s := w.segments[len(w.segments)-1]
	i := s.add(e, d, w.bands)
	w.visible++
	w.bytes += d.bytes
	if w.visible > w.size {
		w.rebuild()
		return
	}
	for b := range w.bands {
		w.link(b, s, i)
	}
}

// newSegment has room for as much as the one before, so that only the first one moves as it grows.
func (w *window) newSegment() *segment {
	s := &segment{number: w.end().segment()}
	if n := len(w.segments); n > 0 {
		s.reserve(w.segments[n-1])
	}
	return s
}

// link puts a document at the head of its bucket in a band.
func (w *window) link(band int, s *segment, i int) {
	slot, tag := w.slot(band, s.key(i, band, w.width))
	s.prev[i*w.bands+band] = w.heads[slot]
	w.heads[slot] = newLink(tag, newRef(s.number, i))
}

// rebuild links all visible documents anew, into tables with room for twice as many: band by band, as one band's table is
// all that the caches hold. Documents that expire meanwhile are no reason to do it again, for walks end before them.
func (w *window) rebuild() {
	w.grow()
	for band := range w.bands {
		w.linkBand(band)
	}
}

// grow makes new, empty tables.
func (w *window) grow() {
	for w.size < 2*w.visible {
		w.size *= 2
	}
	w.heads = make([]link, w.bands*w.size)
}

// linkBand links all visible documents in one band. Bands share nothing that it writes.
func (w *window) linkBand(band int) {
	for _, s := range w.segments {
		for i := range s.docs {
			if newRef(s.number, i) >= w.oldest {
				w.link(band, s, i)
			}
		}
	}
}

// slot is where a key's bucket begins, and the tag of its links. Each band has slots of its own, so that a document stands in
// a chain but once.
func (w *window) slot(band int, key []byte) (slot int, tag uint64) {
	var h uint64
	if len(key) == 4 {
		h = uint64(binary.LittleEndian.Uint32(key))
	} else {
		for i, c := range key {
			h |= uint64(c) << (8 * i)
		}
	}
	h *= 0x9e3779b97f4a7c15
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return band*w.size + int(h&uint64(w.size-1)), h >> refBits
}

// candidates calls yield for each visible document that shares a band key with keys, each once, newest first within a band.
// At most most documents of equal key are met in a band; it returns the number of bands that were cut there.
//
// All bands take a step at a time: the memory they wait for is then fetched for all of them at once.
func (w *window) candidates(keys []byte, most int, yield func(*segment, int)) (cut int) {
	w.lookups++
	walks := w.walks[:w.bands]
	for b := range walks {
		slot, tag := w.slot(b, keys[b*w.width:][:w.width])
		walks[b] = walk{band: b, tag: tag, next: w.heads[slot]}
	}
	for len(walks) > 0 {
		on := walks[:0]
		for _, k := range walks {
			if k.next.ref() < w.oldest {
				continue // none, or expired as all that follow
			}
			more, full := w.step(&k, keys, most, yield)
			if full {
				cut++
			}
			if more {
				on = append(on, k)
			}
		}
		walks = on
	}
	return cut
}

// step looks at the next document of a walk. more says that the walk goes on, full that it was cut.
func (w *window) step(k *walk, keys []byte, most int, yield func(*segment, int)) (more, full bool) {
	same := k.next.tag() == k.tag
	s, i := w.at(k.next.ref())
	k.next = s.prev[i*w.bands+k.band]
	if !same || !bytes.Equal(s.key(i, k.band, w.width), keys[k.band*w.width:][:w.width]) {
		return true, false
	}
	if k.met++; k.met > most {
		return false, true
	}
	if s.mark[i] != w.lookups {
		s.mark[i] = w.lookups
		yield(s, i)
	}
	return true, false
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
