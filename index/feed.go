package index

import (
	"math"

	"github.com/unecho/unecho/index/entry"
)

// Fed is how far a source partition was fed.
type Fed struct {
	Through int64 // all documents of the partition below this offset are fed or rejected; 0 if nothing was fed
	Place   int64 // the time of the place of the last entry, ms since 1970; math.MinInt64 if Through is 0
}

// Fed returns how far a source partition was fed.
func (r *Replica) Fed(source entry.Source) Fed {
	number, known := r.sources.known(source)
	if !known || r.sources.rows[number].fed == (Fed{}) {
		return Fed{Place: math.MinInt64}
	}
	return r.sources.rows[number].fed
}

// FedEntries returns how many entries all feeds brought. It is the First of the next one.
func (r *Replica) FedEntries() uint64 { return r.fed }

// apply judges the entries of a feed in their order (design 4, rule 15). A feed that leaves out entries changes
// nothing. Entries that were fed before are passed over: two feeders bring the same entries in the same order.
func (f *Feed) apply(r *Replica, at Stamp) Effect {
	if !r.underway.begun && (f.First > r.fed || !r.clocks.byEvent || !f.continues(r)) {
		return Effect{}
	}
	r.underway.begun = true
	r.clocks.appended(at.LogAppendTime, f.Wall)
	for h := &r.underway; h.entry < len(f.Entries); h.entry++ {
		i := h.entry
		r.lookAhead(f)
		if f.First+uint64(i) < r.fed {
			continue
		}
		e := &f.Entries[i]
		number := r.sources.byID[f.Parts[e.Part].Source]
		p := r.sources.rows[number]
		r.clocks.placed(e.At)
		if _, held := p.find(e.Offset); !held && e.Offset >= p.Base {
			v, ok := r.judge.decide(number, entry.Position{Offset: at.Offset, Entry: int32(i)}, &e.Entry)
			if !ok {
				return Effect{}
			}
			v.Late = r.clocks.latePlace(e.Time, e.At)
			p.hold(v)
			r.judged = append(r.judged, v)
		}
		p.fed = Fed{Through: e.Offset + 1, Place: e.At} // not before: sessions look while records are read
	}
	r.fed = max(r.fed, f.First+uint64(len(f.Entries)))
	for i := range f.Parts {
		p := r.sources.rows[r.sources.byID[f.Parts[i].Source]]
		if p.fed == (Fed{}) {
			p.fed.Place = math.MinInt64
		}
		p.fed.Through = max(p.fed.Through, f.Parts[i].Through)
	}
	if len(r.judged) == 0 {
		return Effect{Applied: true}
	}
	return Effect{Applied: true, Judged: r.judged}
}

// continues returns false for a feed that does not continue what was fed: with partitions in another epoch, with band
// keys of another length, with entries out of order, with other entries than were fed at the same place, or with
// documents of a partition left out: feeders between whose readings the source was compacted do not bring the same.
func (f *Feed) continues(r *Replica) bool {
	next := make([]int64, len(f.Parts))
	for i := range f.Parts {
		number, known := r.sources.known(f.Parts[i].Source)
		if !known || r.sources.rows[number].Epoch != f.Parts[i].Epoch {
			return false
		}
		if next[i] = r.sources.rows[number].fed.Through; f.Parts[i].From > next[i] {
			return false
		}
	}
	return inOrder(f.Entries, f.First, r.fed, next, r.keys)
}

func (f *Feed) source(v *Verdict) entry.Source {
	return f.Parts[f.Entries[v.Position.Entry].Part].Source
}

func (f *Feed) fold(h running, r *Replica) running {
	h = h.mix(r.fed)
	for i := range f.Parts {
		h = h.mix(uint64(f.Parts[i].Through))
	}
	return h
}

// inOrder says whether entries, the first of which is number first, continue a sequence of which some were brought:
// in the order of their places, each partition's ascending from next. It changes next.
func inOrder(entries []FedEntry, first, brought uint64, next []int64, keys int) bool {
	last := int64(math.MinInt64)
	for i := range entries {
		e := &entries[i]
		if e.Part < 0 || e.Part >= len(next) || e.At < last || !e.Empty() && len(e.Keys) != keys {
			return false
		}
		last = e.At
		if again := first+uint64(i) < brought; again != (e.Offset < next[e.Part]) {
			return false
		} else if !again {
			next[e.Part] = e.Offset + 1
		}
	}
	return true
}

func (f *Feed) size() int { return len(f.Entries) }

func (f *Feed) entry(i int) *entry.Entry { return fedEntry(f.Entries, i) }

func fedEntry(entries []FedEntry, i int) *entry.Entry {
	if i < len(entries) && !entries[i].Empty() {
		return &entries[i].Entry
	}
	return nil
}
