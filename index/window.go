package index

import "github.com/unecho/unecho/index/entry"

// window is the queue of remembered documents, and the tables that find them.
type window struct {
	segments []*segment // ascending by number; only the last one is open
	firsts   []ref      // first document of each segment, side by side for a quick search
	spare    []byte     // block of an expired segment, to be used for the next one
	oldest   ref        // number of the oldest visible document; equals end if there is none
	end      ref        // number of the next document
	bytes    int64      // size of the visible documents, as window.bytes counts them
	number   uint64     // number of the latest segment

	shape   shape
	share   int64 // bytes that each document counts beside its entry (fixedBytes)
	width   int   // bytes of a band key
	age     int64 // window.age, ms; 0 is no bound, as for the two below
	count   uint64
	maximum int64

	changed   bool // other bounds were in force before
	refreshed bool // window.refresh: last is in force, or was: representatives may have entered again
	refreshes bool // window.refresh: last, so that representatives enter again
	// present number of each that entered again, by its first number; nil unless copies are indexed and must find them
	places map[ref]ref

	tables    []table // one per band, and the last one for the keys of all bands together
	moved     int     // entries of buckets moved for the latest document
	mostMoved int
	allMoved  uint64

	probed  lookup             // buckets of the latest lookup, until a document is indexed
	ahead   [lookaheads]lookup // lookups prepared for the next entries
	fetched []*line            // scratch memory: lines to be fetched
	met     []met              // lookup at hand: the documents met, key by key
	ends    []metEnd
	front   front // fields of the oldest document
	tended  int   // table that was tended last
}

func newWindow(p Params, bands int) window {
	w := window{
		shape: newShape(p.Window), share: fixedBytes(p, bands), width: p.Similarity.KeyBytes,
		age: p.Window.Age.Milliseconds(), count: uint64(p.Window.Count), maximum: int64(p.Window.Bytes),
		refreshes: p.Refreshes(), refreshed: p.Refreshes(),
		tables: make([]table, bands+1), probed: newLookup(bands + 1),
	}
	for i := range w.ahead {
		w.ahead[i] = newLookup(bands + 1)
	}
	for b := range w.tables {
		w.tables[b] = w.newTable(0)
	}
	if p.Refreshes() && p.KeepsAll() {
		w.places = map[ref]ref{}
	}
	return w
}

func (w *window) span() span   { return span{oldest: w.oldest, end: w.end} }
func (w *window) visible() int { return int(w.end - w.oldest) }

// at returns the segment that holds a document, and its place there. The document must be in the queue.
//
// Segments have about as many documents each, so the search begins where the document would be if all had as many.
func (w *window) at(r ref) (*segment, int) {
	first := w.firsts[0]
	k := min(int(uint64(r-first)*uint64(len(w.firsts))/max(uint64(w.end-first), 1)), len(w.firsts)-1)
	for w.firsts[k] > r {
		k--
	}
	for k+1 < len(w.firsts) && w.firsts[k+1] <= r {
		k++
	}
	return w.segments[k], int(r - w.firsts[k])
}

// expire lets the documents leave that are beyond a bound at stream time now, and drops the segments of which all have
// left.
func (w *window) expire(now int64) {
	for w.oldest < w.end && (w.full(0, 0) || w.age > 0 && w.old(now, w.eldestFront().applied)) {
		w.leave(w.eldestFront().bytes)
	}
}

// front caches the oldest document's fields that the age and size bounds need.
type front struct {
	next    ref   // the document's number + 1; 0 means that nothing is cached
	applied int64 // stream time from which its age counts, ms
	bytes   int64 // as window.bytes counts them
}

// eldestFront returns the fields of the oldest document, read once. The window must not be empty.
func (w *window) eldestFront() *front {
	if w.front.next != w.oldest+1 {
		s := w.segments[0]
		d, rest := readDocument(s.record(int(w.oldest-s.first)), s.base, w.oldest)
		w.front = front{next: w.oldest + 1, applied: d.applied, bytes: w.bytesOf(len(rest), &d.links)}
		w.fetchFront()
	}
	return &w.front
}

// old says whether a document last seen at stream time seen is beyond window.age.
func (w *window) old(now, seen int64) bool { return w.age > 0 && now-seen >= w.age }

// full says whether the window, with this many more documents and bytes, would be beyond window.count or window.bytes.
func (w *window) full(documents int, bytes int64) bool {
	return w.count > 0 && uint64(w.visible()+documents) > w.count || w.maximum > 0 && w.bytes+bytes > w.maximum
}

// leave takes the oldest document, of so many bytes, out of the window, and drops its segment if that was the last of
// it.
func (w *window) leave(bytes int64) {
	s := w.segments[0]
	w.bytes -= bytes
	w.oldest++
	if s.sealed && int(w.oldest-s.first) == s.n {
		w.drop()
	}
}

// bytesOf returns the bytes of a document, as window.bytes counts them, from those of its entry without band keys and
// digest.
func (w *window) bytesOf(record int, l *links) int64 { return int64(record) + w.share + l.bytes() }

// drop takes the oldest segment out of the queue, and keeps its block for the next segment if it can be used.
func (w *window) drop() {
	if s := w.segments[0]; !s.captured && len(s.block) > len(w.spare) && len(s.block) <= w.shape.bytes {
		w.spare = s.block
	}
	w.segments[0] = nil
	w.segments, w.firsts = w.segments[1:], w.firsts[1:]
}

// insert adds a document as the newest one, and returns where it is. It copies what it keeps.
func (w *window) insert(d *document) (s *segment, i int) {
	record := entry.BareSize(&d.entry)
	s = w.tail(record + maxHead)
	i = s.n
	s.add(d)
	w.end++
	w.bytes += w.bytesOf(record, &d.links)
	w.link(s, i, &d.links)
	w.tend()
	return s, i
}

// tail returns the open segment, with room for a record of this many bytes.
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
		} else if w.maximum > 0 {
			last.shrink()
		}
		s.block = w.newBlock(last)
	}
	w.push(s)
	return s
}

func (w *window) newSegment(number uint64, first ref) *segment {
	return &segment{number: number, first: first, width: w.width, fixed: atBytes + w.whole()*w.width + entry.DigestBytes}
}

func (w *window) push(s *segment) {
	w.segments = append(w.segments, s)
	w.firsts = append(w.firsts, s.first)
}

// newBlock returns a block somewhat larger than what the last segment used. If bytes bound the window and the last
// segment was sealed by its bytes, the block has the full size of a segment at once: growing copies it, and memory must
// not exceed the bound meanwhile.
func (w *window) newBlock(last *segment) (block []byte) {
	used := last.size()
	size, enough := min(used+used/64, w.shape.bytes), min(used+used/512, w.shape.bytes)
	if w.maximum > 0 && last.n < w.shape.documents {
		size, enough = w.shape.bytes, w.shape.bytes
	}
	if block, w.spare = w.spare, nil; len(block) >= enough {
		return block
	}
	return makeBlock(size)
}

// link adds a document to its buckets.
func (w *window) link(s *segment, i int, l *links) {
	w.probe(s.keys(i))
	now, r := w.span(), s.first+ref(i)
	for b := range w.tables {
		if p := &w.probed.probes[b]; l.own(b) && !p.add(r) {
			w.tables[b].insert(p.line, uint(p.level), p.hash, r, now)
		}
	}
	l.tags(func(tag uint32) {
		t := &w.tables[w.fineTable(tag)]
		var p probe
		if p.locate(t, tag); !p.add(r) {
			t.insert(p.line, uint(p.level), tag, r, now)
		}
	})
}

// newTable builds an empty table for this many documents, and those that come before it has its turn.
func (w *window) newTable(documents int) table { return newTable(documents + len(w.tables)) }

// tend maintains the tables after a document. They take turns: one table is swept, and grows or shrinks so that it has
// room until its next turn. So no document pays for all tables, and what is read for it stands side by side in memory
// and was fetched before.
func (w *window) tend() {
	now, tables := w.span(), len(w.tables)
	w.tended = w.after(1)
	t := &w.tables[w.tended]
	t.sweep(w.sweeps(), now)
	before := t.n
	if w.moved = t.fit(w.visible()+tables, tables, now); t.n != before {
		w.renew(w.tended)
	}
	w.probed.keys = w.probed.keys[:0]
	w.fetchTended()
	w.allMoved += uint64(w.moved)
	w.mostMoved = max(w.mostMoved, w.moved)
}

// after returns the table that is tended after this many documents; n is not greater than the number of tables.
func (w *window) after(n int) int {
	if n += w.tended; n >= len(w.tables) {
		n -= len(w.tables)
	}
	return n
}

// sweeps returns how many buckets of a table are swept when it is its turn.
func (w *window) sweeps() int { return (len(w.tables) + sweepEvery - 1) / sweepEvery }

// BandTag is the part of a band key's hash that a bucket stores. Documents with equal tags in a band meet there.
func BandTag(key []byte) uint32 { return tagOf(loadKey(key, len(key))) }

// tagOf is the part of a key's hash that a bucket stores.
func tagOf(key uint64) uint32 { return hashKey(key) & (1<<hashBits - 1) }

// hashKey spreads a band key over 32 bits. The lowest of them select its bucket.
func hashKey(key uint64) uint32 {
	key *= 0x9e3779b97f4a7c15
	return uint32(key >> 32)
}

// eldest returns the oldest visible document; ok is false if there is none.
func (w *window) eldest() (d document, ok bool) {
	if w.oldest == w.end {
		return document{}, false
	}
	s, i := w.at(w.oldest)
	return s.document(i), true
}

// find returns the document of the window that was judged at p.
func (w *window) find(p Position) (*segment, int, bool) {
	for at := w.search(p, w.oldest); at < w.end; at++ {
		d := w.head(at)
		if d.position != p {
			break
		}
		if d.judged == p {
			s, i := w.at(at)
			return s, i, true
		}
	}
	return nil, 0, false
}

// search returns the first document from number from on that entered at p or later.
func (w *window) search(p Position, from ref) ref {
	lo, hi := from, w.end
	for lo < hi {
		mid := lo + (hi-lo)/2
		if w.head(mid).position.Before(p) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// find returns the document that entered by the entry at p.
func (r *Replica) find(p Position) (*segment, int, bool) {
	w := &r.window
	if s, i, ok := w.find(p); ok {
		return s, i, true
	}
	if w.oldest < w.end && w.head(w.oldest).position.Before(p) {
		return nil, 0, false // it cannot have left its first place
	}
	return w.findAgain(p)
}

// findAgain searches the whole window for a document that entered again, after it had left its first place before the
// oldest document entered. Only an operator asks for so old a document.
func (w *window) findAgain(p Position) (*segment, int, bool) {
	if w.oldest == w.end || !w.refreshed {
		return nil, 0, false
	}
	for r := w.oldest; r < w.end; r++ {
		if d := w.head(r); d.again && d.judged == p {
			s, i := w.at(r)
			return s, i, true
		}
	}
	return nil, 0, false
}

// head returns a document without its entry.
func (w *window) head(r ref) document {
	s, i := w.at(r)
	d, _ := readDocument(s.record(i), s.base, r)
	return d
}

// firstRef returns the number of the oldest document in the queue, visible or not.
func (w *window) firstRef() ref {
	if len(w.firsts) == 0 {
		return w.end
	}
	return w.firsts[0]
}

// memory returns the bytes that segments and tables take.
func (w *window) memory() int64 {
	n := int64(len(w.spare) + placeBytes*len(w.places))
	for _, s := range w.segments {
		n += int64(len(s.block)) + s.changes.memory()
	}
	for b := range w.tables {
		n += w.tables[b].bytes()
	}
	return n
}
