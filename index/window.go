package index

import "github.com/unecho/unecho/index/entry"

// window is the queue of remembered documents and the buckets that find them.
type window struct {
	segments []*segment // ascending by number; the last one is open
	firsts   []ref      // of the segments, side by side for a quick search
	spare    []byte     // the block of a segment that expired, for the next one
	oldest   ref        // the oldest visible document, or the next to come
	end      ref        // the number of the next document
	bytes    int64      // of the visible documents, as window.bytes counts them
	number   uint64     // of the latest segment

	shape   shape
	share   int64 // of the index itself in the bytes of a document
	width   int   // bytes of a band key
	age     int64 // ms; 0 is no bound, as for the two below
	count   uint64
	maximum int64
	most    int // documents met per band

	tables    []table // one per band
	moved     int     // entries of buckets moved for the latest document
	mostMoved int
	allMoved  uint64

	walks []walk // of the lookup at hand: one per band that goes on
	met   []ref  // in it, once per band
	ranks []rank
}

func newWindow(p Params, bands int) window {
	w := window{
		shape: newShape(p.Window), share: fixedBytes(p, bands), width: p.Similarity.KeyBytes,
		age: p.Window.Age.Milliseconds(), count: uint64(p.Window.Count), maximum: int64(p.Window.Bytes),
		most: p.Similarity.MaxCandidates, walks: make([]walk, 0, bands), tables: make([]table, bands),
	}
	for b := range w.tables {
		w.tables[b] = newTable(0)
	}
	return w
}

func (w *window) span() span   { return span{oldest: w.oldest, end: w.end} }
func (w *window) visible() int { return int(w.end - w.oldest) }

// at is where a document of a segment in the queue stands.
func (w *window) at(r ref) (*segment, int) {
	lo, hi := 0, len(w.firsts)
	for hi-lo > 1 {
		if mid := int(uint(lo+hi) / 2); w.firsts[mid] <= r {
			lo = mid
		} else {
			hi = mid
		}
	}
	return w.segments[lo], int(r - w.firsts[lo])
}

// expire makes invisible what is outside of a bound at stream time now, and drops whole segments that became so.
func (w *window) expire(now int64) {
	for w.oldest < w.end {
		s := w.segments[0]
		i := int(w.oldest - s.first)
		d, rest := readDocument(s.record(i), s.base)
		old := w.age > 0 && now-d.applied >= w.age
		if !old && (w.count == 0 || uint64(w.end-w.oldest) <= w.count) && (w.maximum == 0 || w.bytes <= w.maximum) {
			return
		}
		w.bytes -= w.bytesOf(len(rest))
		w.oldest++
		if i+1 == s.n && s.sealed {
			w.drop()
		}
	}
}

// bytesOf a document, as EntryBytes gives them, whose entry takes so many without its band keys.
func (w *window) bytesOf(record int) int64 { return int64(record) + w.share }

// drop takes the oldest segment out of the queue.
func (w *window) drop() {
	if s := w.segments[0]; !s.captured && len(s.block) > len(w.spare) && len(s.block) <= w.shape.bytes {
		w.spare = s.block
	}
	w.segments[0] = nil
	w.segments, w.firsts = w.segments[1:], w.firsts[1:]
}

// insert adds a document as the newest of its buckets. It copies what it keeps.
func (w *window) insert(d *document) {
	record := entry.Size(&d.entry) - len(d.entry.Keys)
	s := w.tail(record + maxHead)
	s.add(d)
	w.end++
	w.bytes += w.bytesOf(record)
	for band := range w.tables {
		w.link(band, s, s.n-1)
	}
	w.tend()
}

// tail is the open segment, with room for a record of so many bytes.
func (w *window) tail(record int) *segment {
	var last *segment
	if n := len(w.segments); n > 0 {
		last = w.segments[n-1]
	}
	if last == nil || !last.fits(record, w.shape) {
		last = w.follow(last)
	}
	last.grow(record, w.shape.bytes)
	return last
}

// follow seals the last segment and opens the next.
func (w *window) follow(last *segment) *segment {
	w.number++
	s := w.newSegment(w.number, w.end)
	if last == nil {
		s.block = make([]byte, min(w.shape.bytes, 1<<16))
	} else {
		last.sealed = true
		if w.oldest == w.end {
			w.drop() // expired while it was open
		}
		s.block = w.newBlock(last.used + last.n*last.fixed)
	}
	w.push(s)
	return s
}

func (w *window) newSegment(number uint64, first ref) *segment {
	return &segment{number: number, first: first, width: w.width, fixed: atBytes + len(w.tables)*w.width}
}

func (w *window) push(s *segment) {
	w.segments = append(w.segments, s)
	w.firsts = append(w.firsts, s.first)
}

// newBlock is a block as large as the last one had to be and somewhat more, or as a segment may be where bytes bound it.
func (w *window) newBlock(last int) (block []byte) {
	size := min(last+last/16, w.shape.bytes)
	if w.maximum > 0 {
		size = w.shape.bytes
	}
	if block, w.spare = w.spare, nil; len(block) >= size {
		return block
	}
	return make([]byte, size)
}

// link puts a document into its bucket of a band.
func (w *window) link(band int, s *segment, i int) {
	hash := hashKey(s.key(i, band))
	at, lines := w.tables[band].insert(hash, s.first+ref(i), w.span())
	if lines > w.longest() && lines&(lines-1) == 0 {
		w.trim(band, at)
	}
}

// tend moves the tables on: sweeps some, and makes those grow or shrink whose turn it is. The turns of the bands are spread,
// so that no document pays for all of them.
func (w *window) tend() {
	now, documents := w.span(), w.visible()
	w.moved = 0
	for b := range w.tables {
		t := &w.tables[b]
		if turn := uint64(w.end) + uint64(b); turn%sweepEvery == 0 {
			t.sweep(now)
		}
		w.moved += t.fit(documents+b%tableLoad, now)
	}
	w.allMoved += uint64(w.moved)
	w.mostMoved = max(w.mostMoved, w.moved)
}

// hashKey spreads a band key over 32 bits, of which the lowest choose its bucket.
func hashKey(key uint64) uint32 {
	key *= 0x9e3779b97f4a7c15
	return uint32(key >> 32)
}

// eldest is the oldest visible document; ok is false when there is none.
func (w *window) eldest() (d document, ok bool) {
	if w.oldest == w.end {
		return document{}, false
	}
	s, i := w.at(w.oldest)
	return s.document(i), true
}

// find returns the document that was judged at p. Documents stand in the order of their positions.
func (w *window) find(p Position) (*segment, int, bool) {
	lo, hi := w.firstRef(), w.end
	for lo < hi {
		mid := lo + (hi-lo)/2
		s, i := w.at(mid)
		if d, _ := readDocument(s.record(i), s.base); d.position.Before(p) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == w.end {
		return nil, 0, false
	}
	s, i := w.at(lo)
	d, _ := readDocument(s.record(i), s.base)
	return s, i, d.position == p
}

// firstRef is the number of the oldest document in the queue, visible or not.
func (w *window) firstRef() ref {
	if len(w.firsts) == 0 {
		return w.end
	}
	return w.firsts[0]
}

// memory is what segments and tables take, in bytes.
func (w *window) memory() int64 {
	n := int64(len(w.spare))
	for _, s := range w.segments {
		n += int64(len(s.block)) + s.changes.memory()
	}
	for b := range w.tables {
		n += w.tables[b].bytes()
	}
	return n
}
