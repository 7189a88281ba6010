package index

import (
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// Known is what the index holds of one document, for people who ask.
type Known struct {
	Source   entry.Source
	Topic    string // the source topic's name
	Offset   int64  // in the source partition
	Position entry.Position
	Time     int64  // document time, ms since 1970
	ID       string // empty means its coordinates
	Scope    uint64 // hash of its scope's name; 0 is none
	Seen     int64  // stream time from which its age counts, ms
	Copies   uint64 // copies that were found of it
	Filled   bool   // it was there before the group judged anything
	// Copied says that it is itself a copy, which duplicates.compare_copies: true keeps. Match names its representative; how similar the
	// two are is not kept. Match is zero if the representative has left the window.
	Copied bool
	Match  Match

	Older     int   // documents that leave the window before it, if nothing enters again
	Newer     int   // documents that entered behind it
	OlderPart int64 // estimated bytes of those that leave before it, as window.Bytes() counts them
}

// Search looks for one document by its coordinates. The index has no table for that, so a search looks at every
// document, in steps, newest first. A step is short, so that the journal is applied in between.
type Search struct {
	Topic     string
	Partition int32
	Offset    int64

	begun, back bool
	low, high   window.Ref // documents from low up to, but not including, high were looked at
	// those that entered meanwhile are looked at up to it, for a document may have entered again; set with back
	end window.Ref
}

// Seek takes one step of a search, over at most so many documents. done says that the search is at its end; the
// document is nil if nothing is remembered of it. A document that was forgotten, or that a later epoch judges again,
// is not remembered. A step ends early if something is wanted (Wanted).
func (r *Replica) Seek(s *Search, most int) (found *Known, done bool) {
	w := r.find.window
	sources := r.sources.having(s.Topic, s.Partition, s.Offset)
	if len(sources) == 0 {
		return nil, true
	}
	if !s.begun {
		s.begun, s.low, s.high = true, w.End(), w.End()
	}
	for ; most > 0; most-- {
		at, ok := s.next(w)
		if !ok {
			return nil, true
		}
		if at >= w.Oldest() && w.Files().Readable(at) && r.find.isSought(s, sources, at) {
			found = r.find.knownOf(at)
		}
		switch {
		case w.Files().Wants():
			return nil, false
		case found != nil:
			return found, true
		}
		s.low, s.high = min(s.low, at), max(s.high, at+1)
	}
	w.Files().Done()
	return nil, false
}

// next returns the document that is looked at next.
func (s *Search) next(w *window.Window) (at window.Ref, ok bool) {
	if !s.back && s.low <= w.Oldest() {
		s.back, s.end = true, w.End()
	}
	if !s.back {
		return s.low - 1, true
	}
	return s.high, s.high < s.end
}

func (x *finder) isSought(s *Search, sources []uint32, at window.Ref) bool {
	place := x.window.At(at)
	d, _ := place.Document()
	for _, number := range sources {
		if d.Source == number {
			if d.Entry.Offset != s.Offset {
				return false
			}
			f := x.found(at)
			return x.alive(&f)
		}
	}
	return false
}

func (x *finder) knownOf(at window.Ref) *Known {
	f := x.found(at)
	d, p := &f.document, x.sources.rows[f.document.Source]
	out := &Known{
		Source: p.source, Topic: p.name, Offset: d.Entry.Offset, Position: d.Judged, Time: d.Entry.Time,
		ID:    string(d.Entry.ID),
		Scope: d.Entry.Scope, Seen: f.seen(x.params.Refreshes()), Copies: uint64(f.place.Copies()),
		Filled: p.wasFilled(d.Entry.Offset), Copied: d.Copied(),
	}
	if root, ok := x.root(&f); ok && out.Copied {
		out.Match = x.match(&f, &root)
	}
	x.rank(out, at)
	return out
}

// rank sets how many documents leave before the one at a number, and how many entered behind it.
func (x *finder) rank(out *Known, at window.Ref) {
	w := x.window
	out.Older, out.Newer = int(at-w.Oldest()), int(w.End()-1-at)
	out.OlderPart = w.Bytes() * int64(out.Older) / int64(w.Visible())
}

// Judged returns the verdict of a document that is not known to be committed, by its coordinates, and its source. Like
// Seek it does not find a deleted topic's document where a topic of the same name has another.
func (r *Replica) Judged(topic string, partition int32, offset int64) (v Verdict, source entry.Source, ok bool) {
	for _, number := range r.sources.having(topic, partition, offset) {
		p := r.sources.rows[number]
		if i, ok := p.find(offset); ok {
			return p.held[i], p.source, true
		}
	}
	return Verdict{}, entry.Source{}, false
}

// Reached returns a source partition and its offset below which everything is judged; known is false if the journal
// knows no partition of that name.
func (r *Replica) Reached(topic string, partition int32) (source entry.Source, offset int64, known bool) {
	for _, number := range r.sources.named(topic, partition) {
		p := r.sources.rows[number]
		if p.Epoch == 0 {
			continue
		}
		source, offset, known = p.source, p.reached(), true
	}
	return source, offset, known
}
