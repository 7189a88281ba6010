package window

import "github.com/unecho/unecho/index/entry"

// Entered is where a document of the window is. It is valid until the window next changes.
type Entered struct {
	segment *segment
	i       int
}

// At returns the place of a document, from Oldest up to, but not including, End.
func (w *Window) At(r Ref) Entered {
	s, i := w.at(r)
	return Entered{s, i}
}

// Number returns the document's number.
func (p Entered) Number() Ref { return p.segment.first + Ref(p.i) }

// Document decodes the document. Its entry has neither keys nor digest, which no comparison needs: they lie in other
// pages. It points into the window, and is valid until Done. ok is false if its page is wanted.
func (p Entered) Document() (d Document, ok bool) { return p.segment.document(p.i) }

// Keys are the band keys of the document; they are empty if they are wanted.
func (p Entered) Keys() []byte { return p.segment.keys(p.i) }

// Digest is the digest of the document; it is empty if it is wanted.
func (p Entered) Digest() []byte { return p.segment.digest(p.i) }

// Offset decodes the source offset of the document, whose record must be readable.
func (p Entered) Offset() int64 {
	_, rest := p.segment.head(p.i)
	e, _, _ := entry.Decode(rest, 0, nil) // our own encoding, checked when it was restored
	return e.Offset
}

// Copies is the number of copies that were marked.
func (p Entered) Copies() uint32 { return p.segment.changes.copied(p.i) }

// Dead says whether the document was killed.
func (p Entered) Dead() bool { return p.segment.changes.isDead(p.i) }

// Repeated returns the stream time (ms) of the last repeat since the document entered; ok is false if there was none.
func (p Entered) Repeated() (at int64, ok bool) { return p.segment.changes.repeated(p.i) }

// Emission returns the last copy that came through, as it was marked.
func (p Entered) Emission() Emission { return p.segment.changes.emission(p.i) }

// SetCopies, Repeat, Emit and Kill mark what changes about a document.

// SetCopies marks the number of copies.
func (p Entered) SetCopies(n uint32) { p.segment.changes.setCopied(p.i, n) }

// Repeat marks a repeat at a stream time, in ms.
func (p Entered) Repeat(now int64) { p.segment.changes.repeat(p.i, now) }

// Emit marks the last copy that came through.
func (p Entered) Emit(m Emission) { p.segment.changes.emit(p.i, m) }

// Kill marks a document as dead, so that nothing matches it.
func (p Entered) Kill() { p.segment.changes.kill(p.i) }

// Front returns the oldest document without its entry, and its bytes as duplicates.remember.memory counts them. The window must not
// be empty.
func (w *Window) Front() (p Entered, d Document, bytes int64) {
	s := w.segments[0]
	p = Entered{s, int(w.oldest - s.first)}
	d, rest := s.head(p.i)
	return p, d, w.bytesOf(len(rest), &d.Links)
}

// Oldest is the number of the oldest document; it equals End if there is none.
func (w *Window) Oldest() Ref { return w.oldest }

// End is the number of the next document.
func (w *Window) End() Ref { return w.end }

// Visible is the number of documents.
func (w *Window) Visible() int { return int(w.end - w.oldest) }

// Bytes is the size of the documents, as duplicates.remember.memory counts them.
func (w *Window) Bytes() int64 { return w.bytes }

// Buckets find the documents by their keys.
func (w *Window) Buckets() *Buckets { return &w.buckets }

// Files has what was read of files, and what is wanted.
func (w *Window) Files() *Files { return &w.files }

// Restore fills the window, which is empty, from what was captured.
func (w *Window) Restore() *Restore { return &Restore{of: w} }

// Reenters says whether documents enter again, or their places are noted.
func (w *Window) Reenters() bool { return w.refreshes || w.places != nil }

// Present returns the present number of the document that first entered under a number; ok is false if it has left.
func (w *Window) Present(first Ref) (number Ref, ok bool) {
	if first >= w.oldest {
		return first, true
	}
	number, ok = w.places[first]
	return number, ok && number >= w.oldest
}

// NoteReentry notes the present number of a document that entered again, for its copies to find it.
func (w *Window) NoteReentry(d *Document, number Ref) {
	if w.places != nil && d.Again {
		w.places[d.First] = number
	}
}

// NoteLeft notes that a document leaves for good.
func (w *Window) NoteLeft(d *Document) {
	if w.places != nil && d.Again {
		delete(w.places, d.First)
	}
}

// Stats are what a window takes, and what its tables did.
type Stats struct {
	Segments  int
	Memory    int64 // bytes that segments and tables take
	Filed     int   // documents whose records lie in files, and not in memory
	FileBytes int64 // of the files in which segments and blocks lie
	Blocks    BlockStats
	Moved     uint64 // entries of buckets moved because tables grew or shrank
	MostMoved int    // the most entries moved for one document
	Places    int    // documents that entered again whose present place is noted
	Read      int    // pages and files that were given, and are kept or wanted
}

// BlockStats are what blocks find, and what they take.
type BlockStats struct {
	Count     int
	Documents int   // that blocks find, and no tables
	Bytes     int64 // of their files
	Memory    int64
	Uncovered int // sealed segments that no block finds yet; 0 while nothing lies in files
}

// Stats returns the counters.
func (w *Window) Stats() Stats {
	s := Stats{
		Segments: len(w.segments), Memory: w.memory(), Moved: w.buckets.allMoved, MostMoved: w.buckets.mostMoved, Places: len(w.places),
		Read: len(w.files.read),
	}
	for _, of := range w.segments {
		if of.filed != nil {
			s.FileBytes += int64(of.filed.size)
		}
		if of.away { // none of its documents has left: it is not the oldest segment
			s.Filed += of.n
		}
	}
	s.Blocks = w.files.blockStats()
	if s.FileBytes += s.Blocks.Bytes; s.FileBytes > 0 {
		s.Blocks.Uncovered = w.files.Uncovered()
	}
	return s
}

// Refreshes says whether representatives enter again, by the bounds in force.
func (w *Window) Refreshes() bool { return w.refreshes }
