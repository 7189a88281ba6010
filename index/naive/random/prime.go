package random

import (
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// prime begins a priming, or continues it with entries of some sources, or repeats an earlier record, or does what no
// primer does: then it changes nothing. The sources are those that are judged, and one that is not.
func (h *history) prime() *index.History {
	if len(h.past) > 0 && h.r.IntN(5) == 0 {
		again := *h.past[len(h.past)-1-min(h.r.IntN(len(h.past)), h.r.IntN(4))]
		return &again
	}
	if h.priming == 0 || h.r.IntN(60) == 0 {
		return h.beginPriming()
	}
	rec := &index.History{Header: h.header(), Number: h.priming, First: h.primed}
	from := h.r.IntN(len(h.pasts))
	of := h.pasts[from : from+1+h.r.IntN(len(h.pasts)-from)]
	for _, s := range of {
		rec.Parts = append(rec.Parts, index.HistoryPart{
			Source: s.Source, Name: "past", From: s.fed, Through: s.next,
			Rejected: uint64(s.base),
		})
	}
	for range h.r.IntN(20) {
		part := h.r.IntN(len(of))
		offset := rec.Parts[part].Through + pick[int64](h.r, 0, 0, 0, 1, 3)
		h.pastAt += pick[int64](h.r, 0, 1, 100)
		rec.Entries = append(rec.Entries, index.FedEntry{Part: part, At: h.pastAt, Entry: h.entry(of[part], offset)})
		rec.Parts[part].Through, rec.Parts[part].Rejected = offset+1, rec.Parts[part].Rejected+h.r.Uint64N(2)
	}
	right := h.misprime(rec)
	if h.settled && right && rec.Fingerprint == h.fingerprint {
		h.primed += uint64(len(rec.Entries))
		for i, s := range of {
			s.next, s.fed, s.base = rec.Parts[i].Through, rec.Parts[i].Through, int64(rec.Parts[i].Rejected)
		}
	}
	return rec
}

// beginPriming begins the next priming, at a time of its own and in the midst of what is judged.
func (h *history) beginPriming() *index.History {
	rec := &index.History{Header: h.header(), Number: h.priming + 1, Plan: []byte("a plan")}
	if h.r.IntN(10) == 0 {
		rec.Number += pick[uint32](h.r, 1, 2)
		return rec
	}
	if !h.settled || rec.Fingerprint != h.fingerprint {
		return rec
	}
	h.priming, h.primed, h.pasts = rec.Number, 0, nil
	h.pastAt = h.at.LogAppendTime - pick(h.r, 0, 0, 500, 500, h.p.Window.Age.Milliseconds()/2, h.r.Int64N(3600_000))
	for partition, s := range h.sources {
		unknown := entry.Source{Topic: [16]byte{9}, Partition: int32(partition + 1)} // foreign may make it known
		h.pasts = append(h.pasts,
			&source{Source: s.Source, scope: s.scope, signed: s.signed, next: pick(h.r, 0, h.r.Int64N(20), s.next)},
			&source{Source: unknown, scope: s.scope, signed: map[int64]entry.Entry{}})
	}
	return rec
}

// misprime makes some records wrong, and says whether rec is right.
func (h *history) misprime(rec *index.History) (right bool) {
	n := len(rec.Entries)
	switch h.r.IntN(30) {
	case 0:
		rec.First += 1 + h.r.Uint64N(3)
	case 1:
		rec.Number += pick[uint32](h.r, 1, 2)
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
		rec.Parts[0].From += 1 + h.r.Int64N(3)
	default:
		return true
	}
	return false
}
