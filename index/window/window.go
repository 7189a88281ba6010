package window

import "github.com/unecho/unecho/index/entry"

// Window is the queue of remembered documents, and the tables that find them.
type Window struct {
	segments []*segment // ascending by number; only the last one is open
	firsts   []Ref      // first document of each segment, side by side for a quick search
	spare    []byte     // block of an expired segment, to be used for the next one
	oldest   Ref        // number of the oldest visible document; equals end if there is none
	end      Ref        // number of the next document
	bytes    int64      // size of the visible documents, as duplicates.remember.memory counts them
	number   uint64     // number of the latest segment

	shape   shape
	share   int64 // bytes that each document counts beside its entry
	age     int64 // duplicates.remember.age, ms; 0 is no bound, as for the two below
	count   uint64
	maximum int64

	changed   bool // other bounds were in force before
	copies    bool // copies may be among the documents: they are indexed, or were
	refreshed bool // duplicates.remember.refresh: last is in force, or was: representatives may have entered again
	refreshes bool // duplicates.remember.refresh: last, so that representatives enter again
	// present number of each that entered again, by its first number; nil unless copies are indexed and must find them
	places map[Ref]Ref

	buckets Buckets
	front   front // fields of the oldest document
	files   Files
}

// Params say what a window is of, and its bounds. 0 is no bound.
type Params struct {
	Bands     int   // of a document
	Share     int64 // bytes that each document counts beside its entry and links
	Age       int64 // ms
	Count     uint64
	Bytes     int64
	Refreshes bool // representatives enter again
	Copies    bool // copies are indexed: they must find a representative that entered again
}

// New makes an empty window.
func New(p Params) *Window {
	w := &Window{
		shape: newShape(&p), share: p.Share, age: p.Age, count: p.Count, maximum: p.Bytes,
		refreshes: p.Refreshes, refreshed: p.Refreshes, copies: p.Copies,
	}
	w.buckets.begin(w, p.Bands)
	w.files.of, w.files.sizes = w, usualSizes()
	if p.Refreshes && p.Copies {
		w.places = map[Ref]Ref{}
	}
	return w
}

// Change puts other bounds in force. What counts for each document beside its entry may change with them.
func (w *Window) Change(p Params) {
	w.bytes += int64(w.Visible()) * (p.Share - w.share)
	w.shape, w.share, w.front = newShape(&p), p.Share, front{}
	w.age, w.count, w.maximum, w.refreshes = p.Age, p.Count, p.Bytes, p.Refreshes
	w.refreshed = w.refreshed || w.refreshes
	w.changed, w.copies = true, w.copies || p.Copies
	if w.copies && w.places == nil {
		w.places = map[Ref]Ref{} // of earlier ones as their copies come (NoteReentry)
	}
}

// History says what the window may have in it by the bounds that were in force: copies that find a representative which
// entered again, and representatives that did.
func (w *Window) History() (copies, refreshed bool) { return w.places != nil, w.refreshed }

// Remember sets what History says, in a window to be restored.
func (w *Window) Remember(copies, refreshed bool) {
	if copies && w.places == nil {
		w.places = map[Ref]Ref{}
	}
	w.refreshed = refreshed
}

// mostDocuments returns the greatest number of documents in a segment. One that was sealed under other bounds may have
// more than those in force allow.
func (w *Window) mostDocuments() int {
	if w.changed {
		return segmentDocuments
	}
	return w.shape.documents
}

// span is the run of documents that the tables find.
func (w *Window) span() span { return span{oldest: max(w.oldest, w.files.tail()), end: w.end} }

// at returns the segment that holds a document, and its place there. The document must be in the queue.
//
// Segments have about as many documents each, so the search begins where the document would be if all had as many.
func (w *Window) at(r Ref) (*segment, int) {
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

// Expire lets the documents leave that are beyond a bound at stream time now, and drops the segments of which all have
// left. It ends early if the oldest segment is wanted.
func (w *Window) Expire(now int64) {
	for w.oldest < w.end && !w.files.Wants() && (w.Full(0, 0) || w.age > 0 && w.Old(now, w.eldestFront().applied)) {
		w.Leave(w.eldestFront().bytes)
	}
}

// front caches the oldest document's fields that the age and size bounds need.
type front struct {
	next    Ref   // the document's number + 1; 0 means that nothing is cached
	applied int64 // stream time from which its age counts, ms
	bytes   int64 // as duplicates.remember.memory counts them
}

// eldestFront returns the fields of the oldest document, read once. The window must not be empty.
func (w *Window) eldestFront() *front {
	if w.front.next != w.oldest+1 {
		s := w.segments[0]
		d, rest := s.head(int(w.oldest - s.first))
		w.front = front{next: w.oldest + 1, applied: d.Applied, bytes: w.bytesOf(len(rest), &d.Links)}
		w.fetchFront()
	}
	return &w.front
}

// Old says whether a document last seen at stream time seen is beyond duplicates.remember.age.
func (w *Window) Old(now, seen int64) bool { return w.age > 0 && now-seen >= w.age }

// Full says whether the window, with this many more documents and bytes, would be beyond duplicates.remember.documents or duplicates.remember.memory.
func (w *Window) Full(documents int, bytes int64) bool {
	return w.count > 0 && uint64(w.Visible()+documents) > w.count || w.maximum > 0 && w.bytes+bytes > w.maximum
}

// Leave takes the oldest document, of so many bytes, out of the window, and drops its segment if that was the last of
// it.
func (w *Window) Leave(bytes int64) {
	s := w.segments[0]
	w.bytes -= bytes
	w.oldest++
	if s.sealed && int(w.oldest-s.first) == s.n {
		w.drop()
	}
}

// bytesOf returns the bytes of a document, as duplicates.remember.memory counts them, from those of its entry without band keys and
// digest.
func (w *Window) bytesOf(record int, l *Links) int64 { return int64(record) + w.share + l.Bytes() }

// drop takes the oldest segment out of the queue, and keeps its block for the next segment if it can be used.
func (w *Window) drop() {
	s := w.segments[0]
	w.files.forget(s)
	if !s.captured && len(s.block) > len(w.spare) && len(s.block) <= w.shape.bytes {
		w.spare = s.block
	}
	w.segments[0] = nil
	w.segments, w.firsts = w.segments[1:], w.firsts[1:]
	w.files.dropBlocks()
	w.files.holdFront()
}

// Insert adds a document as the newest one, and returns where it is. It copies what it keeps.
func (w *Window) Insert(d *Document) Entered {
	record := entry.BareSize(&d.Entry)
	s := w.tail(record + maxHead)
	i := s.n
	s.add(d)
	w.end++
	w.bytes += w.bytesOf(record, &d.Links)
	w.buckets.link(s, i, &d.Links)
	w.buckets.tend()
	return Entered{s, i}
}

// tail returns the open segment, with room for a record of this many bytes.
func (w *Window) tail(record int) *segment {
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
func (w *Window) follow(last *segment) *segment {
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

func (w *Window) newSegment(number uint64, first Ref) *segment {
	return &segment{number: number, first: first, fixed: atBytes + w.buckets.whole()*entry.KeyBytes + entry.DigestBytes}
}

func (w *Window) push(s *segment) {
	w.segments = append(w.segments, s)
	w.firsts = append(w.firsts, s.first)
}

// newBlock returns a block somewhat larger than what the last segment used. If bytes bound the window and the last
// segment was sealed by its bytes, the block has the full size of a segment at once: growing copies it, and memory must
// not exceed the bound meanwhile.
func (w *Window) newBlock(last *segment) (block []byte) {
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

// Find returns the document that was judged at p. ok is false, too, if segments are wanted to find it.
func (w *Window) Find(p entry.Position) (at Entered, ok bool) {
	if at, ok := w.find(p); ok || w.files.Wants() {
		return at, ok
	}
	if w.oldest < w.end && w.head(w.oldest).Position.Before(p) {
		return Entered{}, false // it cannot have left its first place
	}
	return w.findAgain(p)
}

// find looks for a document in its first place.
func (w *Window) find(p entry.Position) (place Entered, ok bool) {
	w.entered(p, func(at Ref, d *Document) {
		if !ok && at >= w.oldest && d.Judged == p {
			place, ok = w.At(at), true
		}
	})
	return place, ok
}

// entered visits the documents that entered at a position, those included that have left. It visits none if segments are
// wanted.
func (w *Window) entered(p entry.Position, visit func(at Ref, d *Document)) {
	some, ok := w.files.around(p.Offset)
	if !ok || len(some) == 0 {
		return
	}
	last := some[len(some)-1]
	end := last.first + Ref(last.n)
	for at := w.search(p, some[0].first, end); at < end; at++ {
		d := w.head(at)
		if d.Position != p {
			return
		}
		visit(at, &d)
	}
}

// search returns the first document from lo up to, but not including, hi that entered at p or later.
func (w *Window) search(p entry.Position, lo, hi Ref) Ref {
	for lo < hi {
		mid := lo + (hi-lo)/2
		if w.head(mid).Position.Before(p) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// head returns a document without its entry. Its record must be readable.
func (w *Window) head(r Ref) Document {
	s, i := w.at(r)
	d, _ := s.head(i)
	return d
}

// firstRef returns the number of the oldest document in the queue, visible or not.
func (w *Window) firstRef() Ref {
	if len(w.firsts) == 0 {
		return w.end
	}
	return w.firsts[0]
}

// ReentryBytes are those of an entry of the map from first numbers to present ones.
const ReentryBytes = 40

// memory returns the bytes that segments and tables take.
func (w *Window) memory() int64 {
	n := int64(len(w.spare) + ReentryBytes*len(w.places))
	for _, s := range w.segments {
		n += int64(len(s.block)+atBytes*len(s.ats)+againBytes*len(s.again)) + s.changes.memory()
		if s.filed != nil {
			n += int64(sumBytes * cap(s.filed.sums))
		}
	}
	for b := range w.buckets.tables {
		n += w.buckets.tables[b].bytes()
	}
	for _, b := range w.files.blocks {
		n += b.postings.Memory()
	}
	return n
}
