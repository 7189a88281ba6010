package random

import (
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// fills is what feeders that fill the window know, if each of their records was applied.
type fills struct {
	some    bool // the history begins with fills
	over    bool // an epoch has begun, so no further record changes anything
	records []*index.Fill
	number  uint32    // of the latest fill
	of      []*source // what they read
	begun   []int64   // through which offset each was brought when the latest fill began
	brought []index.FedEntry
	place   int64 // the time of the last place
}

// beginFilled fills the window before the first reposition, which is then often where the fills ended.
func (h *history) beginFilled() {
	for range 10 + h.r.IntN(40) {
		if h.r.IntN(10) == 0 {
			h.append(h.anything())
		} else {
			h.append(h.fill())
		}
	}
	for i, s := range h.sources {
		if h.fills.number > 0 && !h.fills.over && h.r.IntN(4) > 0 {
			s.base = h.fills.of[2*i].fed
			s.next = s.base
		}
	}
}

// fill begins a fill, or continues it with entries of some sources, or repeats an earlier record, or does what no feeder
// does: then it changes nothing. The sources are those that are judged, and some that are not.
func (h *history) fill() *index.Fill {
	l := &h.fills
	if len(l.records) > 0 && h.r.IntN(5) == 0 {
		again := *l.records[len(l.records)-1-min(h.r.IntN(len(l.records)), h.r.IntN(4))]
		return &again
	}
	if l.number == 0 || h.r.IntN(12) == 0 {
		return h.beginFill()
	}
	if !l.over && h.r.IntN(30) == 0 { // nobody brings anything for as long as the window reaches
		h.at.LogAppendTime += h.p.Duplicates.Remember.Age.Milliseconds()
	}
	rec := &index.Fill{Header: h.header(), Number: l.number, First: uint64(len(l.brought))}
	if h.r.IntN(2) == 0 { // another feeder, which began to read somewhat earlier
		rec.First -= h.r.Uint64N(min(rec.First, 10) + 1)
	}
	h.parts(rec)
	again := l.brought[rec.First:]
	behind := len(again) > 0 && h.r.IntN(3) == 0
	if behind {
		again = again[:h.r.IntN(len(again)+1)]
	}
	for _, e := range again {
		rec.Entries = append(rec.Entries, e)
		rec.Parts[e.Part].Through = e.Offset + 1
	}
	for n := h.r.IntN(20); n > 0 && !behind; n-- {
		part := h.r.IntN(len(l.of))
		offset := rec.Parts[part].Through + pick[int64](h.r, 0, 0, 0, 1, 3)
		if offset == 0 {
			offset = h.r.Int64N(20)
		}
		l.place += pick[int64](h.r, 0, 1, 100)
		rec.Entries = append(rec.Entries, index.FedEntry{Part: part, At: l.place, Entry: h.entry(l.of[part], offset)})
		rec.Parts[part].Through = offset + 1
		rec.Parts[part].Rejected += h.r.Uint64N(2)
	}
	right := h.misfill(rec)
	if h.settled && right && !l.over && !behind && rec.Fingerprint == h.fingerprint {
		l.brought = append(l.brought[:rec.First], rec.Entries...)
		for i, s := range l.of {
			s.fed, s.base = rec.Parts[i].Through, int64(rec.Parts[i].Rejected)
		}
	}
	return rec
}

// parts gives a record all sources, as far as they were brought before its first entry.
func (h *history) parts(rec *index.Fill) {
	l := &h.fills
	for i, s := range l.of {
		from := l.begun[i]
		for _, e := range l.brought[:rec.First] {
			if e.Part == i {
				from = max(from, e.Offset+1)
			}
		}
		rec.Parts = append(rec.Parts, index.FillPart{
			Source: s.Source, Name: "filled", From: from, Through: from, Rejected: uint64(s.base),
		})
	}
}

// beginFill begins the next fill. Its places begin anew: earlier or later than those of the one before.
func (h *history) beginFill() *index.Fill {
	l := &h.fills
	rec := &index.Fill{Header: h.header(), Number: l.number + 1, Plan: []byte("a plan")}
	if h.r.IntN(10) == 0 {
		rec.Number += pick(h.r, 1, 2, ^uint32(0))
		return rec
	}
	if !h.settled || l.over || rec.Fingerprint != h.fingerprint {
		return rec
	}
	if l.number == 0 {
		for partition, s := range h.sources {
			unknown := entry.Source{Topic: [16]byte{9}, Partition: int32(partition + 1)} // foreign may make it known
			l.of = append(l.of,
				&source{Source: s.Source, scope: s.scope, signed: s.signed},
				&source{Source: unknown, scope: s.scope, signed: map[int64]entry.Entry{}})
		}
		l.begun = make([]int64, len(l.of))
	} else {
		for i, s := range l.of {
			l.begun[i] = s.fed
		}
	}
	l.number, l.brought = rec.Number, nil
	age := h.p.Duplicates.Remember.Age.Milliseconds()
	l.place = h.at.LogAppendTime - pick(h.r, 0, h.r.Int64N(1000), h.r.Int64N(age+1), age+h.r.Int64N(1000))
	return rec
}

// misfill makes some records wrong, and says whether rec is right.
func (h *history) misfill(rec *index.Fill) (right bool) {
	n := len(rec.Entries)
	switch h.r.IntN(30) {
	case 0:
		rec.First += 1 + h.r.Uint64N(3)
	case 1:
		rec.Number += pick(h.r, 1, ^uint32(0))
	case 2:
		if n < 2 || rec.Entries[0].At == rec.Entries[n-1].At {
			return true
		}
		slices.Reverse(rec.Entries)
	case 3:
		if n == 0 {
			return true
		}
		rec.Entries[n-1].Part = len(rec.Parts)
	case 4: // it has left out an entry before, so it counts one less
		if rec.First == 0 || n == 0 {
			return true
		}
		rec.First--
	case 5: // it has read documents before that others never saw
		rec.Parts[0].From = max(rec.Parts[0].From, h.fills.of[0].fed) + 1 + h.r.Int64N(3)
	default:
		return true
	}
	return false
}
