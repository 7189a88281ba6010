package index

import "github.com/unecho/unecho/index/entry"

// MostReentries bounds how many representatives enter the window again because of one document, so that no document
// takes long to judge: the oldest documents of a window may be repeated ones by the million. One whose fine keys are
// made anew counts once more for each reentryBytes of evidence.
const (
	MostReentries = 64
	reentryBytes  = 8192
)

// room lets the oldest documents leave until the window, with this many more documents and bytes, is within its
// bounds.
//
// With window.refresh: last, a representative that was repeated since it entered does not leave. It enters again, and
// its age counts from the last repeat. So each representative has one place at a time, and a repeat costs no more than
// its note. One document may cause MostReentries re-entries. After that, the oldest document leaves if there is no
// room. If only its age is beyond the bound, it waits for the next document, and is meanwhile found only if its last
// repeat is young enough.
//
// Where bounds were narrowed, millions may have to leave. A turn is then over after MostLeaving documents, or where
// the next one would enter again and no more may, and the next document goes on. Meanwhile the window does not grow.
func (r *Replica) room(documents int, bytes int64) {
	w, now := &r.window, r.clocks.now()
	if !w.refreshes && w.places == nil && !r.narrowing {
		w.expire(now)
		return
	}
	for w.oldest < w.end {
		if r.over(bytes) {
			return
		}
		s := w.segments[0]
		i := int(w.oldest - s.first)
		d, rest := readDocument(s.record(i), s.base, w.oldest)
		full := w.full(documents, bytes)
		if !full && !w.old(now, d.applied) {
			break
		}
		last, again := s.changes.repeated(i)
		again = again && w.refreshes && !w.old(now, last) && !s.changes.isDead(i) && !r.fell(&d, rest)
		switch {
		case again && r.turn.reentries > 0:
			r.turn.reentries--
			r.enterAgain(w.oldest, last)
			w.leave(w.bytesOf(len(rest), &d.links))
			continue
		case again && (!full || r.narrowing && r.turn.freed >= bytes):
			return
		case w.places != nil && d.again:
			delete(w.places, d.first)
		}
		r.leaves(w.bytesOf(len(rest), &d.links))
	}
	r.narrowing = false
}

// enterAgain puts the document with this number at the head of the window again, with its count and its emission.
func (r *Replica) enterAgain(number ref, last int64) {
	f := r.found(number)
	was, m := &f.segment.changes, emission{}
	if r.reemitEvery > 0 {
		m = r.emission(&f)
	}
	d := f.document
	d.position, d.applied, d.again = r.at, last, true
	r.linkAgain(&d)
	s, i := r.window.insert(&d)
	s.changes.setCopied(i, was.copied(f.i))
	if m.set {
		s.changes.emit(i, m)
	}
	r.window.placed(&d, r.window.end-1)
}

// linkAgain chooses where a document is linked that enters again. What is popular now decides, and stays so.
func (r *Replica) linkAgain(d *document) {
	l := &r.again
	*l = look{
		fine: l.fine[:0], renewed: l.renewed[:0], links: links{absent: l.links.absent[:0], fine: l.links.fine[:0]}, scratch: l.scratch,
	}
	r.window.probe(d.entry.Keys)
	r.verify.Begin(&d.entry)
	if r.chooseKeys(l) {
		r.turn.reentries -= max(entry.TextLen(&d.entry), len(d.entry.Evidence)) / reentryBytes
	}
	l.links.everywhere()
	d.links = l.links
	for _, tag := range l.renewed {
		r.popular.use(tag)
	}
}

// fell says whether a document, whose entry is given encoded, died in a reposition.
func (r *Replica) fell(d *document, encoded []byte) bool {
	e, _, _ := entry.Decode(encoded, 0, nil) // our own encoding, checked when it was restored
	return r.partitions[d.source].fell(d.position, e.Offset)
}

// placed notes the present number of a document that entered again.
func (w *window) placed(d *document, number ref) {
	if w.places != nil && d.again {
		w.places[d.first] = number
	}
}
