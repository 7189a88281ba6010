package index

import (
	"bytes"
	"math"
	"slices"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/window"
)

// A group's window is filled before the group judges anything (design 4, rule 16). What a fill brings enters at the
// head of the window as it is, also if it is a copy of what is there:
//
//	fill 1   fill 2   the first epoch of a partition: judged from here on
//	├────────┼────────┼──────────────▶
//
// The age of a document that a fill brought counts from its own time. It never runs backwards in the window, so that
// the oldest document leaves first.

// Filled is the latest fill, and what became of its documents.
type Filled struct {
	Number  uint32 // of the fill; 0: there was none
	Plan    []byte // as the record that began it said; not to be changed
	Entries uint64 // brought so far; the First of the next record
	FilledCounts
}

// FilledCounts count the entries of a fill by what became of them.
type FilledCounts struct {
	Kept   uint64 // they entered the window
	TooOld uint64 // beyond duplicates.remember.age
	Empty  uint64 // nothing to compare
}

// Skipped is how many entries were not kept.
func (c *FilledCounts) Skipped() uint64 { return c.TooOld + c.Empty }

// FilledPart is how far all fills together have come with a source partition.
type FilledPart struct {
	Through  int64  // all documents of the partition below this offset are brought or rejected; 0 if nothing was brought
	Place    int64  // the time of the place of the last entry, ms since 1970; math.MinInt64 if there was none
	Rejected uint64 // as in FillPart
}

// filling is the state behind Filled.
type filling struct {
	Filled
	last int64 // stream time from which the age counts of the newest document that a fill brought, ms
}

// Filled returns the latest fill. It is zero if there was none.
func (r *Replica) Filled() Filled { return r.filling.Filled }

// FilledPart returns how far fills have come with a source partition.
func (r *Replica) FilledPart(source entry.Source) FilledPart {
	if number, known := r.sources.byID[source]; known && r.sources.rows[number].filled != (FilledPart{}) {
		return r.sources.rows[number].filled
	}
	return FilledPart{Place: math.MinInt64}
}

// EachFilled hands out the partitions of which fills have brought something, in the order in which they first did.
func (r *Replica) EachFilled(of func(source entry.Source, topic string, through int64)) {
	for _, p := range r.sources.rows {
		if p.filled.Through > 0 {
			of(p.source, p.name, p.filled.Through)
		}
	}
}

// Judges says that an epoch of a partition has begun. From then on nothing is filled.
func (r *Replica) Judges() bool {
	return slices.ContainsFunc(r.sources.rows, func(p *partition) bool { return p.Epoch > 0 })
}

// wasFilled says whether a document of this partition was brought by a fill: the group begins a partition at or behind
// what was brought.
func (p *partition) wasFilled(offset int64) bool { return offset < p.filled.Through }

// apply remembers the entries of a fill in their order. A record that leaves out entries changes nothing. Entries
// that were brought before are passed over. Nothing is filled once an epoch has begun.
func (f *Fill) apply(r *Replica, at Stamp) Effect {
	now := &r.filling
	switch {
	case r.Judges():
		return Effect{}
	case len(f.Plan) > 0:
		return f.begin(r, at)
	case !r.underway.begun && (f.Number == 0 || f.Number != now.Number || f.First > now.Entries || !f.continues(r)):
		return Effect{}
	}
	r.underway.begun = true
	r.clocks.appended(at.LogAppendTime, f.Wall)
	numbers := make([]uint32, len(f.Parts))
	for i := range f.Parts {
		numbers[i] = r.sources.filledRow(&f.Parts[i])
	}
	for h := &r.underway; h.entry < len(f.Entries); h.entry++ {
		i := h.entry
		r.lookAhead(f)
		if f.First+uint64(i) < now.Entries {
			continue
		}
		e := &f.Entries[i]
		part := &r.sources.rows[numbers[e.Part]].filled
		if !now.take(&r.judge, numbers[e.Part], entry.Position{Offset: at.Offset, Entry: int32(i)}, e) {
			return Effect{}
		}
		part.Through, part.Place = e.Offset+1, e.At
	}
	now.Entries = max(now.Entries, f.First+uint64(len(f.Entries)))
	for i := range f.Parts {
		part := &r.sources.rows[numbers[i]].filled
		part.Through, part.Rejected = max(part.Through, f.Parts[i].Through), max(part.Rejected, f.Parts[i].Rejected)
	}
	return Effect{Applied: true}
}

// begin begins the fill after the latest one. What that has brought stays, and how far it came with each partition.
func (f *Fill) begin(r *Replica, at Stamp) Effect {
	if f.Number != r.filling.Number+1 {
		return Effect{}
	}
	r.clocks.appended(at.LogAppendTime, f.Wall)
	r.filling.Filled = Filled{Number: f.Number, Plan: bytes.Clone(f.Plan)}
	return Effect{Applied: true}
}

// continues returns false for a record that does not continue the fill: with band keys of another length, with entries
// out of order, with other entries than were brought at the same place, or with documents of a partition left out:
// feeders between whose readings the source was compacted do not bring the same.
func (f *Fill) continues(r *Replica) bool {
	next := make([]int64, len(f.Parts))
	for i := range f.Parts {
		if next[i] = r.FilledPart(f.Parts[i].Source).Through; f.Parts[i].From > next[i] {
			return false
		}
	}
	return inOrder(f.Entries, f.First, r.filling.Entries, next, r.keys)
}

// take remembers an entry of a fill. It is looked up only for what is popular of its keys. It returns false if records
// are wanted.
func (f *filling) take(j *judge, source uint32, at entry.Position, e *FedEntry) bool {
	clocks := j.find.clocks
	if clocks.byEvent {
		clocks.placed(e.At)
	}
	return j.take(at, func() bool {
		now := clocks.now()
		applied := max(f.last, min(e.At, now)) // no document was there before it came
		switch {
		case e.Empty():
			f.Empty++
		case j.find.window.Old(now, applied):
			f.TooOld++
		default:
			if j.find.look(&e.Entry); j.find.window.Files().Wants() {
				return false
			}
			f.Kept++
			f.last = applied
			j.turn.document = window.Document{Position: at, Applied: applied, Source: source, Entry: e.Entry, Judged: at}
			j.enters(nil)
		}
		return true
	})
}

func (f *Fill) size() int { return len(f.Entries) }

func (f *Fill) entry(i int) *entry.Entry { return fedEntry(f.Entries, i) }

// fold adds a record, and what became of the fill.
func (f *Fill) fold(h running, r *Replica) running {
	now := &r.filling
	h = h.mix(uint64(now.Number)).mix(now.Entries).mix(now.Kept).mix(now.TooOld).mix(now.Empty)
	if len(f.Plan) > 0 {
		h = h.mix(Hash(f.Plan))
	}
	for i := range f.Parts {
		h = h.mix(uint64(f.Parts[i].Through)).mix(f.Parts[i].Rejected)
	}
	return h
}
