package index

import (
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

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
// With duplicates.remember.refresh: last, a representative that was repeated since it entered does not leave. It enters again, and
// its age counts from the last repeat. So each representative has one place at a time, and a repeat costs no more than
// its note. One document may cause MostReentries re-entries. After that, the oldest document leaves if there is no
// room. If only its age is beyond the bound, it waits for the next document, and is meanwhile found only if its last
// repeat is young enough.
//
// Where bounds were narrowed, millions may have to leave. A turn is then over after MostLeaving documents, or where
// the next one would enter again and no more may, and the next document goes on. Meanwhile the window does not grow.
//
// It returns false if the oldest segment is wanted. Then the same call goes on.
func (j *judge) room(documents int, bytes int64) bool {
	w, now := j.find.window, j.find.clocks.now()
	if !w.Reenters() && !j.narrowing {
		w.Expire(now)
		return !w.Files().Wants()
	}
	for w.Visible() > 0 {
		if w.Files().Wants() {
			return false
		}
		if j.over(bytes) {
			return true
		}
		oldest, d, own := w.Front()
		full := w.Full(documents, bytes)
		if !full && !w.Old(now, d.Applied) {
			break
		}
		last, again := oldest.Repeated()
		again = again && w.Refreshes() && !w.Old(now, last) && !oldest.Dead() &&
			!j.find.sources.rows[d.Source].fell(d.Position, oldest.Offset())
		switch {
		case again && j.turn.reentries > 0:
			j.turn.reentries--
			j.enterAgain(w.Oldest(), last)
			w.Leave(own)
			continue
		case again && (!full || j.narrowing && j.turn.freed >= bytes):
			return true
		}
		w.NoteLeft(&d)
		j.leaves(own)
	}
	j.narrowing = false
	return true
}

// enterAgain puts the document with this number at the head of the window again, with its count and its emission.
func (j *judge) enterAgain(number window.Ref, last int64) {
	f := j.find.found(number)
	copies, m := f.place.Copies(), window.Emission{}
	if j.reemitEvery > 0 {
		m = j.find.emission(&f)
	}
	d := f.document
	d.Entry.Keys, d.Entry.Digest = f.place.Keys(), f.place.Digest()
	d.Position, d.Applied, d.Again = j.at, last, true
	j.linkAgain(&d)
	at := j.find.window.Insert(&d)
	at.SetCopies(copies)
	if m.Set {
		at.Emit(m)
	}
	j.find.window.NoteReentry(&d, at.Number())
}

// linkAgain chooses where a document is linked that enters again. What is popular now decides, and stays so.
func (j *judge) linkAgain(d *window.Document) {
	l := &j.again
	l.links.Reset()
	*l = look{fine: l.fine[:0], renewed: l.renewed[:0], links: l.links, scratch: l.scratch}
	j.find.buckets.Probe(d.Entry.Keys)
	j.find.verify.Begin(&d.Entry)
	if j.find.chooseKeys(l) {
		j.turn.reentries -= max(entry.TextLen(&d.Entry), len(d.Entry.Evidence)) / reentryBytes
	}
	l.links.Everywhere()
	d.Links = l.links
	for _, tag := range l.renewed {
		j.find.popular.use(tag)
	}
}
