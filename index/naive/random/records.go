package random

import (
	"math"
	"slices"
	"strconv"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// run continues reading a source, from where the session is or somewhat before, with gaps, and announces a base that
// may be old. Its epoch may be wrong.
func (h *history) run(s *source) *index.Run {
	run := &index.Run{Header: h.header(), Source: s.Source, Epoch: s.epoch, Base: s.base}
	switch h.r.IntN(25) {
	case 0:
		run.Epoch++
	case 1:
		run.Epoch = uint32(h.r.IntN(int(s.epoch) + 1))
	}
	offset := s.next
	if h.r.IntN(4) == 0 { // after an abort, or by another member: read again
		offset = max(0, s.next-h.r.Int64N(8))
	}
	for range h.r.IntN(7) {
		offset += pick[int64](h.r, 0, 0, 0, 0, 1, 3)
		run.Entries = append(run.Entries, h.entry(s, offset))
		offset++
	}
	if h.r.IntN(30) == 0 { // no session does this; the first of two entries wins all the same
		run.Entries = append(run.Entries, run.Entries...)
	}
	s.next = max(s.next, offset)
	switch h.r.IntN(6) {
	case 0: // all that was read is committed
		s.base = max(s.base, s.next)
	case 1:
		s.base += h.r.Int64N(max(1, s.next-s.base+1))
	}
	if h.r.IntN(10) == 0 {
		run.Base = h.r.Int64N(run.Base + 1)
	}
	return run
}

// again appends an earlier run once more, as a zombie, or a retry after an ambiguous error would.
func (h *history) again() *index.Run {
	back := min(h.r.IntN(len(h.runs)), h.r.IntN(10))
	run := *h.runs[len(h.runs)-1-back]
	run.Entries = slices.Clone(run.Entries)
	return &run
}

// reposition moves a source back, forward, nowhere or to the start. Sometimes its epoch is not the next one, or its
// session has other settings; it then changes nothing, and the source knows that.
func (h *history) reposition(s *source) *index.Reposition {
	to := pick(h.r, 0, s.base, s.next, s.base-h.r.Int64N(9), s.next+h.r.Int64N(9))
	rec := &index.Reposition{
		Header: h.header(), Source: s.Source, Name: "topic-" + strconv.Itoa(int(s.Topic[0])), Offset: max(0, to),
		Epoch: s.epoch + 1,
	}
	if h.r.IntN(10) == 0 {
		s.renamed++
		rec.Name += "." + strconv.Itoa(s.renamed)
	}
	switch h.r.IntN(10) {
	case 0:
		rec.Epoch = uint32(h.r.IntN(int(s.epoch) + 4))
	case 1:
		rec.Epoch = pick[uint32](h.r, 0, math.MaxUint32)
	}
	if h.settled && rec.Epoch == s.epoch+1 && rec.Fingerprint == h.fingerprint {
		s.epoch, s.base, s.next, s.fed = rec.Epoch, rec.Offset, rec.Offset, 0
		h.fills.over = true
	}
	return rec
}

// entry returns the document at an offset of a source. Kafka's records do not change, so the entry stays the same, but
// sometimes it is another one, as after an unclean election.
func (h *history) entry(s *source, offset int64) entry.Entry {
	if e, ok := s.signed[offset]; ok && h.r.IntN(30) > 0 {
		return e
	}
	e := entry.Entry{Offset: offset, Time: h.time(), Scope: s.scope}
	if h.r.IntN(20) == 0 {
		e.Scope = pick[uint64](h.r, 0, 77, 78)
	}
	if h.r.IntN(2) == 0 {
		e.ID = strconv.AppendInt([]byte("id-"), offset, 10)
	}
	h.signer.Sign(&e, []byte(h.texts.next()))
	e = e.Clone()
	h.signer.Reset()
	h.squash(e.Keys)
	h.request(&e)
	s.signed[offset] = e
	return e
}

// request gives some documents an idempotency key, makes some of them what was sent before, and some another document
// with the key of an earlier one.
func (h *history) request(e *entry.Entry) {
	if h.requests == nil || h.requests.IntN(2) == 0 {
		return
	}
	if n := len(h.sent); n > 0 && h.requests.IntN(2) == 0 {
		before := h.sent[n-1-h.requests.IntN(min(n, 30))]
		if h.requests.IntN(6) == 0 {
			e.Request = before.Request
			return
		}
		before.Offset, before.Time = e.Offset, e.Time
		*e = before
		return
	}
	e.Request = entry.Request{byte(len(h.sent)), byte(len(h.sent) >> 8), 1}
	h.sent = append(h.sent, *e)
}

// squash keeps only a few bits of each band key, in histories that want collisions.
func (h *history) squash(keys []byte) {
	if h.narrow == math.MaxUint8 {
		return
	}
	for key := range slices.Chunk(keys, entry.KeyBytes) {
		key[0] &= h.narrow
		clear(key[1:])
	}
}

// time returns a document's own time: near the journal's, late, or absurd.
func (h *history) time() int64 {
	switch h.r.IntN(20) {
	case 0:
		return pick[int64](h.r, 0, -1, 4_070_908_800_000, math.MaxInt64, math.MinInt64)
	case 1:
		return h.at.LogAppendTime + h.r.Int64N(60_000)
	case 2:
		return h.at.LogAppendTime - h.r.Int64N(3600_000)
	}
	return h.at.LogAppendTime - h.r.Int64N(500)
}
