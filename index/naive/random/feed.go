package random

import (
	"slices"

	"github.com/unecho/unecho/index"
)

// feed continues the feed with entries of some sources, or repeats an earlier one, or does what no feeder does: it
// leaves out entries, takes a wrong epoch, or goes back. Then it changes nothing.
func (h *history) feed() *index.Feed {
	if len(h.feeds) > 0 && h.r.IntN(5) == 0 {
		again := *h.feeds[len(h.feeds)-1-min(h.r.IntN(len(h.feeds)), h.r.IntN(4))]
		return &again
	}
	f := &index.Feed{Header: h.header(), First: h.fed}
	from := h.r.IntN(len(h.sources))
	of := h.sources[from : from+1+h.r.IntN(len(h.sources)-from)]
	for _, s := range of {
		f.Parts = append(f.Parts, index.FeedPart{Source: s.Source, Epoch: s.epoch, From: s.fed, Through: s.fed})
	}
	h.place = max(h.place, h.at.LogAppendTime-h.r.Int64N(100_000_000))
	for range h.r.IntN(9) {
		part := h.r.IntN(len(of))
		offset := f.Parts[part].Through + pick[int64](h.r, 0, 0, 0, 1, 3)
		h.place += pick[int64](h.r, 0, 1, 1000)
		f.Entries = append(f.Entries, index.FedEntry{Part: part, At: h.place, Entry: h.entry(of[part], offset)})
		f.Parts[part].Through = offset + 1
	}
	right := h.misfeed(f)
	if h.settled && right && f.Fingerprint == h.fingerprint {
		h.fed += uint64(len(f.Entries))
		for i, s := range of {
			s.fed = f.Parts[i].Through
		}
	}
	return f
}

// misfeed makes some feeds wrong, and says whether f is right.
func (h *history) misfeed(f *index.Feed) (right bool) {
	n := len(f.Entries)
	switch h.r.IntN(24) {
	case 0:
		f.First += 1 + h.r.Uint64N(3)
	case 1:
		f.Parts[0].Epoch += pick[uint32](h.r, 1, 2)
	case 2:
		f.Parts[0].Source.Partition = 77
	case 3:
		if n < 2 {
			return true
		}
		slices.Reverse(f.Entries)
		return f.Entries[0].At == f.Entries[n-1].At && f.Entries[0].Part != f.Entries[n-1].Part && n == 2
	case 5: // it has left out an entry before, so it counts one less
		if f.First == 0 || n == 0 {
			return true
		}
		f.First--
	case 4:
		if n == 0 {
			return true
		}
		f.Entries[n-1].Part = len(f.Parts)
	case 6: // it has read documents before that others never saw
		f.Parts[0].From += 1 + h.r.Int64N(3)
	default:
		return true
	}
	return false
}
