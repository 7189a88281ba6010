package naive

import (
	"bytes"
	"math"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// unfilled is the state of a partition of which no fill brought anything.
func unfilled() index.FilledPart { return index.FilledPart{Place: math.MinInt64} }

// fill remembers documents before the group judges anything. A record that leaves out entries changes nothing, and
// neither does one of another fill, one that no feeder would write, or one behind the beginning of an epoch. Entries
// that were brought before are passed over.
func (t *Twin) fill(at index.Stamp, f *index.Fill) bool {
	if !t.inForce(f.Header) {
		return false
	}
	for _, p := range t.partitions {
		if p.epoch > 0 {
			return false
		}
	}
	if len(f.Plan) > 0 {
		return t.beginFill(at, f)
	}
	if t.filled.Number == 0 || f.Number != t.filled.Number || f.First > t.filled.Entries || !t.fillable(f) {
		return false
	}
	t.arrive(at, f.Wall)
	for i := range f.Entries {
		if f.First+uint64(i) < t.filled.Entries {
			continue
		}
		e := &f.Entries[i]
		p := t.named(&f.Parts[e.Part])
		p.filled.Through, p.filled.Place = e.Offset+1, e.At
		t.bring(f.Parts[e.Part].Source, e, entry.Position{Offset: at.Offset, Entry: int32(i)})
	}
	t.filled.Entries = max(t.filled.Entries, f.First+uint64(len(f.Entries)))
	for i := range f.Parts {
		p := t.named(&f.Parts[i])
		p.filled.Through = max(p.filled.Through, f.Parts[i].Through)
		p.filled.Rejected = max(p.filled.Rejected, f.Parts[i].Rejected)
	}
	return true
}

func (t *Twin) beginFill(at index.Stamp, f *index.Fill) bool {
	if f.Number != t.filled.Number+1 {
		return false
	}
	t.arrive(at, f.Wall)
	t.filled = index.Filled{Number: f.Number, Plan: bytes.Clone(f.Plan)}
	return true
}

// named returns a partition. One that was never repositioned has the name that a fill gives it first.
func (t *Twin) named(part *index.FillPart) *partition {
	p := t.partition(part.Source)
	if p.name == "" {
		p.name = part.Name
	}
	return p
}

// bring puts a document at the head of the window, whatever is like it there, and counts what became of it. Its age
// counts from the time of its place, but from no later time than now, and from none before that of the document that
// was brought before it.
func (t *Twin) bring(source entry.Source, e *index.FedEntry, position entry.Position) {
	if t.params.Duplicates.Remember.Clock == "event" {
		t.event = max(t.event, e.At)
	}
	now := newTurn()
	t.room(0, 0, now)
	if e.Empty() {
		t.filled.Empty++
		return
	}
	d := &document{
		source: source, entry: e.Clone(), position: position, bytes: index.EntryBytes(t.params, &e.Entry), copies: 1,
		entered: max(t.filledLast, min(e.At, t.now())),
	}
	if d.root = d; t.old(d) {
		t.filled.TooOld++
		return
	}
	d.emission = emission{source: source, offset: e.Offset, position: position, at: d.entered}
	t.filled.Kept++
	t.filledLast = d.entered
	t.candidates(&e.Entry)
	t.linkAs(d, false)
	t.room(1, d.bytes, now)
	t.enter(d)
	t.noteEntered()
	t.room(0, 0, now)
}

// fillable says whether a record continues the fill: its entries in the order of their places, those of a partition
// ascending, and those that were brought before the same as then.
func (t *Twin) fillable(f *index.Fill) bool {
	for i := range f.Parts {
		if f.Parts[i].From > t.partition(f.Parts[i].Source).filled.Through {
			return false // documents between were brought by nobody
		}
	}
	for i := range f.Entries {
		e := &f.Entries[i]
		if e.Part < 0 || e.Part >= len(f.Parts) || i > 0 && e.At < f.Entries[i-1].At {
			return false
		}
		through, brought := t.partition(f.Parts[e.Part].Source).filled.Through, f.First+uint64(i) < t.filled.Entries
		if brought != (e.Offset < through) {
			return false
		}
		for k := range i {
			if before := &f.Entries[k]; !brought && before.Part == e.Part && before.Offset >= e.Offset &&
				f.First+uint64(k) >= t.filled.Entries {
				return false
			}
		}
	}
	return true
}

// Filled returns the latest fill, and how far fills have come with a partition.
func (t *Twin) Filled(source entry.Source) (index.Filled, index.FilledPart) {
	return t.filled, t.partition(source).filled
}
