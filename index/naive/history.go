package naive

import (
	"bytes"
	"math"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// unprimed is the state of a partition of which no priming brought anything.
func unprimed() index.PrimedPart { return index.PrimedPart{Place: math.MinInt64} }

// prime remembers documents of before the group began. A record that leaves out entries changes nothing, and neither
// does one of another priming, or one that no primer would write. Entries that were brought before are passed over.
func (t *Twin) prime(at index.Stamp, h *index.History) bool {
	switch {
	case !t.inForce(h.Header):
		return false
	case len(h.Plan) > 0:
		return t.beginPriming(at, h)
	case t.primed.Number == 0 || h.Number != t.primed.Number || h.First > t.primed.Entries || !t.primable(h):
		return false
	}
	t.arrive(at, h.Wall)
	for i := range h.Entries {
		if h.First+uint64(i) < t.primed.Entries {
			continue
		}
		e := &h.Entries[i]
		p := t.named(&h.Parts[e.Part])
		p.primed.Through, p.primed.Place = e.Offset+1, e.At
		*t.takeHistory(p, h.Parts[e.Part].Source, e, index.Position{Offset: at.Offset, Entry: int32(i)})++
	}
	t.primed.Entries = max(t.primed.Entries, h.First+uint64(len(h.Entries)))
	for i := range h.Parts {
		p := t.named(&h.Parts[i])
		p.primed.Through, p.primed.Rejected = max(p.primed.Through, h.Parts[i].Through),
			max(p.primed.Rejected, h.Parts[i].Rejected)
	}
	return true
}

func (t *Twin) beginPriming(at index.Stamp, h *index.History) bool {
	if h.Number != t.primed.Number+1 {
		return false
	}
	t.arrive(at, h.Wall)
	t.primed = index.Primed{Number: h.Number, Plan: bytes.Clone(h.Plan)}
	for _, p := range t.partitions {
		p.primed = unprimed()
	}
	return true
}

// named returns a partition. One that was never repositioned has the name that history gives it first.
func (t *Twin) named(part *index.HistoryPart) *partition {
	p := t.partition(part.Source)
	if !p.known && p.name == "" {
		p.name = part.Name
	}
	return p
}

// takeHistory puts a document into history if nothing is like it and there is room, and returns the count that it
// belongs to. Only what is older leaves for it.
func (t *Twin) takeHistory(p *partition, source entry.Source, e *index.FedEntry, position index.Position) *uint64 {
	now := newTurn()
	t.room(0, 0, now)
	d := &document{
		source: source, entry: e.Clone(), position: position, bytes: index.EntryBytes(t.params, &e.Entry), copies: 1,
		primed:  true,
		entered: max(0, min(e.At, t.arrival)),
	}
	d.root, d.emission = d, emission{source: source, offset: e.Offset, position: position, at: d.entered}
	switch {
	case p.known && e.Offset >= p.start:
		return &t.primed.Judged
	case e.Empty():
		return &t.primed.Empty
	case t.old(d) || d.entered < t.primedLast:
		return &t.primed.TooOld
	}
	if found, _ := t.matches(&e.Entry, true); len(found) > 0 {
		if root := found[0].root; t.params.Refreshes() && d.entered > t.seen(root) {
			root.repeated, root.last = true, d.entered
		}
		return &t.primed.Duplicate
	}
	t.linkAs(d, false)
	if w := t.params.Window; w.Count > 0 && len(t.window.documents)+1 > w.Count ||
		w.Bytes > 0 && t.window.bytes+d.bytes > int64(w.Bytes) {
		return &t.primed.NoRoom
	}
	if t.roomIn(&t.history, 1, d.bytes, now); t.full(1, d.bytes) {
		return &t.primed.NoRoom
	}
	t.primedLast = d.entered
	t.enter(&t.history, d)
	t.noteEntered()
	return &t.primed.Kept
}

// primable says whether a record continues the priming: its entries in the order of their places, those of a partition
// ascending, and those that were brought before the same as then.
func (t *Twin) primable(h *index.History) bool {
	for i := range h.Parts {
		if h.Parts[i].From > t.partition(h.Parts[i].Source).primed.Through {
			return false // documents between were brought by nobody
		}
	}
	for i := range h.Entries {
		e := &h.Entries[i]
		if e.Part < 0 || e.Part >= len(h.Parts) || i > 0 && e.At < h.Entries[i-1].At {
			return false
		}
		through, brought := t.partition(h.Parts[e.Part].Source).primed.Through, h.First+uint64(i) < t.primed.Entries
		if brought != (e.Offset < through) {
			return false
		}
		for k := range i {
			if before := &h.Entries[k]; !brought && before.Part == e.Part && before.Offset >= e.Offset &&
				h.First+uint64(k) >= t.primed.Entries {
				return false
			}
		}
	}
	return true
}

// Primed returns the latest priming, and how far it has come with a partition.
func (t *Twin) Primed(source entry.Source) (index.Primed, index.PrimedPart) {
	return t.primed, t.partition(source).primed
}
