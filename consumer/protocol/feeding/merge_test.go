package feeding

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// history is a plan with the documents of its ranges, and the order in which they are to be fed.
type history struct {
	plan   *protocol.Plan
	source [][]Document
	sorted []placed
}

type placed struct {
	at    int64
	lane  int
	entry entry.Entry
}

func source(i int) entry.Source { return entry.Source{Topic: [16]byte{1}, Partition: int32(i)} }

// randomHistory has empty ranges, gaps, documents that are rejected, late, without a time, of the future, and ranges
// that lie months apart.
func randomHistory(r *rand.Rand) *history {
	const month = int64(30 * 24 * 3600 * 1000)
	h := &history{plan: &protocol.Plan{Fixed: 10 * month}}
	for i := range 1 + r.IntN(6) {
		from := int64(r.IntN(50))
		to, at := from, int64(r.IntN(3))*2*month+int64(r.IntN(5))
		var documents []Document
		for range r.IntN(2) * r.IntN(60) {
			to += int64(1 + r.IntN(2)*r.IntN(5))
			at += int64(r.IntN(3)) - int64(r.IntN(2)*r.IntN(5))
			d := Document{Rejected: r.IntN(5) == 0}
			d.Entry = entry.Entry{
				Offset: to - 1, Time: at, Content: r.Uint64(), Kind: entry.Sketch, Keys: []byte{1, 2, byte(r.Uint32())},
				Evidence: bytes.Repeat([]byte{byte(i)}, r.IntN(40)), ID: fmt.Append(nil, i, to),
			}
			switch r.IntN(10) {
			case 0:
				d.Time = -int64(r.IntN(2))
			case 1:
				d.Time = h.plan.Fixed + 1 + int64(r.IntN(100))
			case 2:
				d.Entry = entry.Entry{Offset: d.Offset, Time: d.Time} // an empty document
			}
			documents = append(documents, d)
		}
		if r.IntN(2) == 0 {
			to += int64(r.IntN(4)) // markers at the end
		}
		h.plan.Ranges = append(h.plan.Ranges, protocol.Range{Topic: "news", Source: source(i), From: from, To: to})
		h.source = append(h.source, documents)
	}
	h.sort()
	return h
}

// sort finds the order in the plain way.
func (h *history) sort() {
	for i, documents := range h.source {
		place := int64(protocol.NoPlace)
		for _, d := range documents {
			if !d.Rejected {
				place = h.plan.Place(place, d.Time)
				h.sorted = append(h.sorted, placed{place, i, d.Entry})
			}
		}
	}
	slices.SortFunc(h.sorted, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.lane, b.lane), cmp.Compare(a.entry.Offset, b.entry.Offset))
	})
}

// framed are the bounds of records as the journal frames them.
func framed(entries, bytes int) Limits {
	return Limits{
		RunLimits: protocol.RunLimits{Entries: entries, Bytes: bytes}, Part: journal.FeedPartSize,
		Place: journal.FeedPlace,
	}
}

func (h *history) unfed() State {
	s := State{}
	for i := range h.plan.Ranges {
		s.Parts, s.Places = append(s.Parts, index.FeedPart{Source: source(i), Epoch: 1}), append(s.Places, protocol.NoPlace)
		s.Rejected = append(s.Rejected, 0)
	}
	return s
}

// reader cuts the ranges into polls.
type randomReader struct {
	*history
	random   *rand.Rand
	position []int64
}

func (h *history) read(r *rand.Rand, from State) *randomReader {
	rd := &randomReader{history: h, random: r}
	for i, part := range from.Parts {
		rd.position = append(rd.position, max(part.Through, h.plan.Ranges[i].From))
	}
	return rd
}

// poll reads a piece of a random range. The client may hand out what lies beyond the range as well.
func (rd *randomReader) poll(m *Merge) {
	i := rd.random.IntN(len(rd.source))
	until := rd.position[i] + int64(rd.random.IntN(20))
	piece := slices.DeleteFunc(slices.Clone(rd.source[i]),
		func(d Document) bool { return d.Offset < rd.position[i] || d.Offset >= until })
	if to := rd.plan.Ranges[i].To; until > to {
		piece = append(piece, Document{Entry: entry.Entry{Offset: to, Time: 1}})
	}
	if rd.random.IntN(4) == 0 {
		piece = append(piece, piece[rd.random.IntN(len(piece)+1):]...) // the client may bring records twice
	}
	m.Add(i, piece, until)
	rd.position[i] = until
}

// twin is what a replica makes of feeds, as far as the order goes.
type twin struct {
	t     *testing.T
	state State
	fed   []placed
}

func (w *twin) take(f *index.Feed, bounds Limits) {
	w.t.Helper()
	if f.First != w.state.Entries {
		w.t.Fatalf("feed begins at %d, fed are %d", f.First, w.state.Entries)
	}
	if size := len(journal.Append(nil, f)); len(f.Entries) > bounds.Entries || len(f.Entries) > 1 && size > bounds.Bytes {
		w.t.Fatalf("feed of %d entries and %d bytes", len(f.Entries), size)
	}
	number := map[entry.Source]int{}
	for i := range w.state.Parts {
		number[w.state.Parts[i].Source] = i
	}
	var from []int64
	for i := range w.state.Parts {
		from = append(from, w.state.Parts[i].Through)
	}
	for _, e := range f.Entries {
		i := number[f.Parts[e.Part].Source]
		if e.Offset < w.state.Parts[i].Through {
			w.t.Fatalf("range %d was fed through %d, and now %d", i, w.state.Parts[i].Through, e.Offset)
		}
		w.state.Parts[i].Through, w.state.Places[i] = e.Offset+1, e.At
		w.fed = append(w.fed, placed{e.At, i, e.Clone()})
	}
	w.state.Entries += uint64(len(f.Entries))
	for _, p := range f.Parts {
		i := number[p.Source]
		if p.From != from[i] {
			w.t.Fatalf("range %d: from %d, and was fed through %d", i, p.From, from[i])
		}
		if p.Through <= w.state.Parts[i].Through-1 || p.Epoch != 1 {
			w.t.Fatalf("range %d: through %d of epoch %d after %d", i, p.Through, p.Epoch, w.state.Parts[i].Through)
		}
		w.state.Parts[i].Through = p.Through
	}
}

// takeRejected makes sure that each part tells how many documents before its end are rejected.
func (w *twin) takeRejected(h *history, f *index.Feed, rejected []uint64) {
	w.t.Helper()
	for k, p := range f.Parts {
		want, i := uint64(0), int(p.Source.Partition)
		for _, d := range h.source[i] {
			if d.Rejected && d.Offset < p.Through {
				want++
			}
		}
		if rejected[k] != want {
			w.t.Fatalf("range %d through %d: %d rejected, want %d", i, p.Through, rejected[k], want)
		}
		w.state.Rejected[i] = want
	}
}

// However the ranges are read, and whoever goes on after however many records, the sequence of entries is that of the
// places, and in the end every range is fed to its end.
func TestMergeIsASort(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		h := randomHistory(r)
		w := &twin{t: t, state: h.unfed()}
		bounds := framed(1+r.IntN(20), 200+r.IntN(3000))
		mortal := r.IntN(2) == 0
		for alive := false; !alive; {
			from := State{
				Entries: w.state.Entries, Parts: slices.Clone(w.state.Parts), Places: slices.Clone(w.state.Places),
				Rejected: slices.Clone(w.state.Rejected),
			}
			alive = feedAll(h, w, NewMerge(h.plan, from, bounds), r, mortal)
		}
		if !slices.EqualFunc(w.fed, h.sorted, same) {
			t.Fatalf("seed %d: %d entries fed, %d to be fed, or in another order", seed, len(w.fed), len(h.sorted))
		}
		for i, p := range w.state.Parts {
			if to := h.plan.Ranges[i].To; p.Through < to && to > h.plan.Ranges[i].From {
				t.Fatalf("seed %d: range %d is fed through %d of %d", seed, i, p.Through, to)
			}
		}
	}
}

// feedAll feeds until all is done, or a mortal feeder ends.
func feedAll(h *history, w *twin, m *Merge, r *rand.Rand, mortal bool) (done bool) {
	rd := h.read(r, w.state)
	for !m.Done() {
		rd.poll(m)
		for full := true; full; {
			full = m.Fill()
			if !full && !m.Complete() && r.IntN(3) > 0 {
				break
			}
			rec, ok := m.Sealed()
			if !ok {
				break
			}
			if mortal && r.IntN(4) == 0 {
				return false
			}
			w.take(rec, m.bounds)
			w.takeRejected(h, rec, m.Rejected())
			m.Begin()
		}
	}
	if m.bytes != 0 && len(h.sorted) > 0 {
		w.t.Errorf("%d bytes are queued in the end", m.bytes)
	}
	return true
}

func same(a, b placed) bool {
	return a.at == b.at && a.lane == b.lane &&
		bytes.Equal(entry.Append(nil, &a.entry, nil), entry.Append(nil, &b.entry, nil))
}

// With as many partitions as a record has no room for, every one gets its end all the same.
func TestMergeTellsTheEndOfManyRanges(t *testing.T) {
	t.Parallel()
	h := &history{plan: &protocol.Plan{Fixed: 1}}
	const many = 1000
	for i := range many {
		h.plan.Ranges = append(h.plan.Ranges, protocol.Range{Topic: "news", Source: source(i), From: 3, To: 5})
		h.source = append(h.source, []Document{{Entry: entry.Entry{Offset: 3}, Rejected: true}})
	}
	w := &twin{t: t, state: h.unfed()}
	m := NewMerge(h.plan, h.unfed(), framed(512, 10<<10))
	for i := range many {
		m.Add(i, h.source[i], 5)
	}
	records := 0
	for ; !m.Done(); records++ {
		m.Fill()
		rec, _ := m.Sealed()
		w.take(rec, m.bounds)
		w.takeRejected(h, rec, m.Rejected())
		m.Begin()
	}
	if records < 2 || records > many/10 {
		t.Errorf("%d records for the ends of %d ranges", records, many)
	}
}

func BenchmarkMerge(b *testing.B) {
	for _, lanes := range []int{1, 16, 1000} {
		b.Run(fmt.Sprint(lanes, "lanes"), func(b *testing.B) { benchmarkMerge(b, lanes) })
	}
}

// benchmarkMerge merges entries of 300 bytes of partitions whose times are the same, in pieces of 64, and frames the
// records.
func benchmarkMerge(b *testing.B, lanes int) {
	h := &history{plan: &protocol.Plan{Fixed: 1 << 60}}
	for i := range lanes {
		h.plan.Ranges = append(h.plan.Ranges, protocol.Range{Topic: "news", Source: source(i), To: 1 << 60})
	}
	m := NewMerge(h.plan, h.unfed(), framed(journal.RunEntries, journal.RunBytes))
	piece := make([]Document, 64)
	for i := range piece {
		piece[i].Entry = entry.Entry{
			Kind: entry.Sketch, Keys: make([]byte, 72), Evidence: make([]byte, 192),
			ID: make([]byte, 16),
		}
	}
	offsets := make([]int64, lanes)
	var value []byte
	b.ReportAllocs()
	merged := 0
	for i := 0; merged < b.N; i = (i + 1) % lanes {
		for k := range piece {
			piece[k].Offset, piece[k].Time = offsets[i]+int64(k), 1_700_000_000_000+offsets[i]+int64(k)
		}
		offsets[i] += int64(len(piece))
		m.Add(i, piece, offsets[i])
		for m.Fill() {
			rec, _ := m.Sealed()
			merged += len(rec.Entries)
			value = journal.Append(value[:0], rec)
			m.Begin()
		}
	}
	b.ReportMetric(float64(merged)/b.Elapsed().Seconds(), "entries/s")
}
