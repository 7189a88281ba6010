package index

import (
	"bytes"
	"math"

	"github.com/unecho/unecho/index/entry"
)

// History is what was before the group began: it stands in front of the window, in the order of the documents' times
// (design 4, rule 16). It has a window of the same structure, with numbers of its own, which holds representatives
// only.
//
//	history                      window
//	[ past+0 .. past+99 ]        [ 0 .. 40 .. 91 ]
//	  ▲        ▲                   ▲        ▲
//	  leaves   primings            leaves   judged documents
//	  first    bring these         next     enter here
//
// Both share window.count and window.bytes. What is judged makes room for itself, and the oldest of history leaves
// first. What is primed makes room among history only.

// Primed is a priming, and what became of its documents.
type Primed struct {
	Number  uint32 // of the priming; 0: there was none
	Plan    []byte // as the record that began it said; not to be changed
	Entries uint64 // brought so far; the First of the next record
	PrimedCounts
}

// PrimedCounts count the entries of a priming by what became of them.
type PrimedCounts struct {
	Kept      uint64 // they entered history
	Duplicate uint64 // near-duplicates of history or of what was judged
	TooOld    uint64 // beyond window.age, or older than what history had already
	Judged    uint64 // the group itself judged them, or will
	NoRoom    uint64 // the bounds left no room for them
	Empty     uint64 // nothing to compare
}

// PassedOver is how many entries were neither kept nor like something that is remembered.
func (c *PrimedCounts) PassedOver() uint64 { return c.TooOld + c.Judged + c.NoRoom + c.Empty }

// counts lists the counts, in the order in which they are stored.
func (c *PrimedCounts) counts() []*uint64 {
	return []*uint64{&c.Kept, &c.Duplicate, &c.TooOld, &c.Judged, &c.NoRoom, &c.Empty}
}

// PrimedPart is how far a priming has come with a source partition.
type PrimedPart struct {
	Through  int64  // all documents of the partition below this offset are brought or rejected; 0 if nothing was brought
	Place    int64  // the time of the place of the last entry, ms since 1970; math.MinInt64 if there was none
	Rejected uint64 // as in HistoryPart
}

// priming is the state behind Primed.
type priming struct {
	Primed
	parts  map[uint32]*PrimedPart // by the number of the source partition
	last   int64                  // time of the newest document that entered history, ms since 1970
	end    ref                    // number of history's next document, while history is empty
	number uint64                 // number of history's latest segment, while history is empty
}

// Primed returns the latest priming. It is zero if there was none.
func (r *Replica) Primed() Primed {
	if r.priming == nil {
		return Primed{}
	}
	return r.priming.Primed
}

// PrimedPart returns how far the latest priming has come with a source partition.
func (r *Replica) PrimedPart(source entry.Source) PrimedPart {
	if number, known := r.byID[source]; known && r.priming != nil && r.priming.parts[number] != nil {
		return *r.priming.parts[number]
	}
	return PrimedPart{Place: math.MinInt64}
}

func (r *Replica) applyHistory(at Stamp, h *History) Effect {
	switch p := r.priming; {
	case len(h.Plan) > 0:
		return r.beginPriming(at, h)
	case p == nil || h.Number != p.Number || h.First > p.Entries || !r.primable(h):
		return Effect{}
	}
	r.clocks.appended(at.LogAppendTime, h.Wall)
	p := r.priming
	for i := range h.Entries {
		r.lookAhead(h, i)
		if h.First+uint64(i) < p.Entries {
			continue
		}
		e := &h.Entries[i]
		number := r.primedRow(&h.Parts[e.Part])
		part := p.parts[number]
		part.Through, part.Place = e.Offset+1, e.At
		r.prime(number, Position{Offset: at.Offset, Entry: int32(i)}, e)
	}
	p.Entries = max(p.Entries, h.First+uint64(len(h.Entries)))
	for i := range h.Parts {
		part := p.parts[r.primedRow(&h.Parts[i])]
		part.Through, part.Rejected = max(part.Through, h.Parts[i].Through), max(part.Rejected, h.Parts[i].Rejected)
	}
	return Effect{Applied: true}
}

// beginPriming begins the priming after the latest one. What that has brought stays.
func (r *Replica) beginPriming(at Stamp, h *History) Effect {
	if h.Number != r.Primed().Number+1 {
		return Effect{}
	}
	r.clocks.appended(at.LogAppendTime, h.Wall)
	if r.priming == nil {
		r.priming = &priming{last: math.MinInt64, end: past, number: uint64(past)}
	}
	r.priming.Primed = Primed{Number: h.Number, Plan: bytes.Clone(h.Plan)}
	r.priming.parts = map[uint32]*PrimedPart{}
	return Effect{Applied: true}
}

// primable returns false for a record that does not continue the priming: with band keys of another length, with
// entries out of order, with other entries than were brought at the same place, or with documents of a partition left
// out: primers between whose readings the source was compacted do not bring the same.
func (r *Replica) primable(h *History) bool {
	next := make([]int64, len(h.Parts))
	for i := range h.Parts {
		if next[i] = r.PrimedPart(h.Parts[i].Source).Through; h.Parts[i].From > next[i] {
			return false
		}
	}
	return inOrder(h.Entries, h.First, r.priming.Entries, next, r.keys)
}

// primedRow returns the number of a source partition. A partition that the journal does not know yet gets a row of
// epoch 0.
func (r *Replica) primedRow(part *HistoryPart) uint32 {
	number, known := r.byID[part.Source]
	if !known {
		number = uint32(len(r.partitions))
		r.addPartition(&partition{source: part.Source, name: part.Name})
	}
	if r.priming.parts[number] == nil {
		r.priming.parts[number] = &PrimedPart{Place: math.MinInt64}
	}
	return number
}

// prime remembers an entry of history, unless it is known, or there is no room for it. It never lets a document leave
// that is newer, and it changes no document that is there, except that one may have been repeated later than was
// known.
func (r *Replica) prime(source uint32, at Position, e *FedEntry) {
	r.beginTurn(at)
	r.room(0, 0)
	p, own := r.priming, r.partitions[source]
	applied := max(0, min(e.At, r.clocks.arrival)) // no document was there before it came
	switch {
	case own.Epoch > 0 && e.Offset >= own.Start:
		p.Judged++
		return
	case e.Empty():
		p.Empty++
		return
	case r.window.old(r.clocks.now(), applied), applied < p.last:
		p.TooOld++
		return
	}
	if best, ok, _ := r.best(&e.Entry); ok {
		p.Duplicate++
		r.repeatedAt(&best, applied)
		return
	}
	if !r.historyFits(EntryBytes(r.params, &e.Entry) + r.looked.links.bytes()) {
		p.NoRoom++
		return
	}
	p.Kept++
	p.last = applied
	r.looked.links.everywhere()
	h := r.openHistory()
	h.insert(&document{
		position: at, applied: applied, source: source, entry: e.Entry, judged: at, first: h.end,
		root: h.end, links: r.looked.links,
	})
	r.entered()
}

// repeatedAt notes that the representative of a document was repeated at a time that may be long ago.
func (r *Replica) repeatedAt(f *found, at int64) {
	if root, ok := r.root(f); ok && r.params.Refreshes() && at > root.seen(true) {
		root.segment.changes.repeat(root.i, at)
	}
}

// openHistory returns the window of history, which it makes if history is empty.
func (r *Replica) openHistory() *window {
	if r.history == nil {
		r.history = r.newHistory(r.priming.end, r.priming.number)
	}
	return r.history
}

// newHistory returns an empty window for history whose first document has this number.
func (r *Replica) newHistory(oldest ref, number uint64) *window {
	h := newWindow(r.params, r.keys/r.params.Similarity.KeyBytes)
	h.shape, h.changed, h.places = r.window.shape, r.window.changed, nil
	h.oldest, h.end, h.number = oldest, oldest, number
	return &h
}

// historyFits lets documents of history leave, oldest first, until one more of this many bytes is within the bounds.
// It returns false if what was judged leaves no room.
func (r *Replica) historyFits(bytes int64) bool {
	if r.window.full(1, bytes) {
		return false
	}
	r.historyRoom(1, bytes)
	return !r.full(1, bytes)
}

// full is window.full for both windows together.
func (r *Replica) full(documents int, bytes int64) bool {
	if h := r.history; h != nil {
		documents, bytes = documents+h.visible(), bytes+h.bytes
	}
	return r.window.full(documents, bytes)
}

// historyRoom is room for the documents of history. One that was repeated enters the window.
func (r *Replica) historyRoom(documents int, bytes int64) {
	now := r.clocks.now()
	for h := r.history; h != nil && h.oldest < h.end; {
		if r.over(bytes) {
			return
		}
		s := h.segments[0]
		i := int(h.oldest - s.first)
		d, rest := readDocument(s.record(i), s.base, h.oldest)
		full := r.full(documents, bytes)
		if !full && !h.old(now, d.applied) {
			return
		}
		last, again := s.changes.repeated(i)
		again = again && h.refreshes && !h.old(now, last) && !s.changes.isDead(i) && !r.fell(&d, rest)
		switch {
		case again && r.turn.reentries > 0:
			r.turn.reentries--
			r.enterAgain(h.oldest, last)
			h.leave(h.bytesOf(len(rest), &d.links))
		case again && (!full || r.narrowing && r.turn.freed >= bytes):
			return
		default:
			r.leaves(h, h.bytesOf(len(rest), &d.links))
		}
		h.tend()
	}
	r.closeHistory()
}

// closeHistory gives the memory of an empty history back.
func (r *Replica) closeHistory() {
	if h := r.history; h != nil && h.oldest == h.end {
		r.priming.end, r.priming.number, r.history = h.end, h.number, nil
	}
}

func (h *History) entry(i int) *entry.Entry { return fedEntry(h.Entries, i) }

// fold adds the priming to the running hash.
func (p *priming) fold(h running) running {
	h = h.mix(uint64(p.Number)).mix(p.Entries)
	for _, n := range p.counts() {
		h = h.mix(*n)
	}
	return h
}
