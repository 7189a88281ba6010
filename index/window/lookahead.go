package window

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/unecho/unecho/index/entry"
)

// A lookup waits for memory: for a line in each band, somewhere in its table, then for the documents that these lines
// lead to. But the band keys and digests of a run are known before their turn. So while one entry is judged, the lookups of the
// next three entries each take one step, and the processor does not wait for any of them:
//
//	third      the lines of its buckets are fetched
//	second     the lines behind them, and where the documents begin that it will probably meet
//	next       these documents
//
// Fetching only warms the caches. Every lookup is done again in its turn, so no verdict depends on this file.

// Lookaheads is how many lookups are prepared before their turn.
const Lookaheads = 3

// renew finds the buckets of the lookups ahead again in a table that has grown or shrunk.
func (x *Buckets) renew(table int) {
	for i := range x.ahead {
		if l := &x.ahead[i]; len(l.keys) > 0 {
			p := &l.probes[table]
			p.locate(&x.tables[table], p.hash)
		}
	}
}

// LookAhead advances by one entry of a run: the lookups ahead move up by one, and each takes its step. e is the third
// entry ahead, and nil if there is none.
func (x *Buckets) LookAhead(e *entry.Entry) {
	next, second, third := &x.ahead[0], &x.ahead[1], &x.ahead[2]
	x.probed, *next, *second, *third = *next, *second, *third, x.probed
	third.likely = third.likely[:0]
	if third.keys = third.keys[:0]; e != nil {
		x.locate(third, e.Keys)
		third.digest = entry.ReadDigest(e.Digest)
		prefetchProbes(third.probes)
	}
	if len(second.keys) > 0 {
		x.fetchOlder(second)
	}
	x.fetchDocuments(next)
}

// fetchOlder fetches the lines behind the first lines of the buckets, and notes which documents will be met.
func (x *Buckets) fetchOlder(l *lookup) {
	x.fetched = x.fetched[:0]
	for from := 0; from < len(l.probes); from += matched {
		hits, linked := l.match(from)
		for ; linked != 0; linked &= linked - 1 {
			b := from + bits.TrailingZeros64(linked)
			x.fetched = append(x.fetched, x.tables[b].older(l.probes[b].line))
		}
		if from == 0 && hits != 0 {
			x.noteLikely(l, hits)
		}
	}
	prefetch(x.fetched)
}

// likelyBands bounds the bands in which documents are looked for that will be met.
const likelyBands = 24

// noteLikely notes, for the first bands of those whose line may have the band's tag (hits), the newest document with
// the tag, and fetches its digest.
func (x *Buckets) noteLikely(l *lookup, hits uint64) {
	now := x.of.span()
	for n := 0; n < likelyBands && hits != 0; hits &= hits - 1 {
		n++
		r, ok := l.probes[bits.TrailingZeros64(hits)].newest(now)
		if !ok || slices.Contains(l.likely, r) {
			continue
		}
		l.likely = append(l.likely, r)
		s, i := x.of.at(r)
		prefetchAt(unsafe.Pointer(&s.fixedPart(i)[s.fixed-1]))
	}
}

// newest returns the newest document in the first line whose entry has the tag; ok is false if there is none, or it is
// no longer visible.
func (p *probe) newest(now span) (r Ref, ok bool) {
	for i := p.line.count(); i > 0; i-- {
		if x := p.line[i]; (x^p.want)&p.tag == 0 {
			age := now.age(x, uint(p.level))
			return now.end - 1 - Ref(age), age < now.visible()
		}
	}
	return 0, false
}

// fetchDocuments fetches the records and the copy counts of the documents that were noted, if their digests differ
// little: the others will hardly be read.
func (x *Buckets) fetchDocuments(l *lookup) {
	now := x.of.span()
	for _, r := range l.likely {
		if r < now.oldest {
			continue
		}
		s, i := x.of.at(r)
		if l.digest.Distance(s.digest(i)) > nearDigests {
			continue
		}
		if s.away {
			if x.wanting {
				s.record(i)
			}
			continue
		}
		record := s.record(i)
		for k := 0; k < len(record) && k < recordAhead; k += lineBytes {
			prefetchAt(unsafe.Pointer(&record[k]))
		}
		if copies := s.changes.copies; i < len(copies) {
			prefetchAt(unsafe.Pointer(&copies[i]))
		}
	}
}

// Want wants the pages of old documents that the entries of a run will probably be compared with, so that they are read at
// once. e returns entry i of n, or nil.
func (x *Buckets) Want(n int, e func(i int) *entry.Entry) {
	if len(x.of.files.files) == 0 {
		return
	}
	x.wanting = true
	for i := range n + Lookaheads {
		if x.of.files.Wanting() >= mostAhead {
			break
		}
		x.LookAhead(e(i))
	}
	x.wanting = false
}

// mostAhead bounds what is wanted at once, ahead of a run or by a lookup among old documents: 4 MiB.
const mostAhead = 1024

// nearDigests is less than four standard deviations from where the digests of unlike documents are, half of the bits.
const nearDigests = entry.DigestBits * 3 / 8

// recordAhead bounds the bytes of a record that are fetched: enough for a sketch and what precedes it. More of a record
// is read sequentially, which processors prefetch themselves.
const recordAhead = 256

// fetchTended fetches what will be swept and split soon: the lines of the table whose turn comes after the next one,
// and the lines linked behind those of the next one.
func (x *Buckets) fetchTended() {
	x.fetched = x.fetched[:0]
	t := &x.tables[x.after(min(2, len(x.tables)))]
	x.eachTended(t, func(l *line) { x.fetched = append(x.fetched, l) })
	for to := t.n; to < t.n+t.due(int(x.of.span().visible())+len(x.tables)+2) && to/pageLines < len(t.lines); to++ {
		x.fetched = append(x.fetched, t.lines.at(to))
	}
	t = &x.tables[x.after(1)]
	x.eachTended(t, func(l *line) {
		if older := t.older(l); older != nil {
			x.fetched = append(x.fetched, older)
		}
	})
	prefetch(x.fetched)
}

// eachTended visits the first lines of the buckets of a table that are swept and split when it is its turn.
func (x *Buckets) eachTended(t *table, visit func(l *line)) {
	if !t.idle(x.of.span()) {
		for b := t.swept; b < min(t.swept+x.sweeps(), t.n); b++ {
			visit(t.lines.at(b))
		}
	}
	from := t.n - 1<<t.level
	for b := from; b < min(from+t.due(int(x.of.span().visible())+len(x.tables)+2), t.n); b++ {
		visit(t.lines.at(b))
	}
}

// fetchFront fetches the record of the document after the oldest one, before it becomes the oldest. The window must not
// be empty.
func (w *Window) fetchFront() {
	s := w.segments[0]
	i := int(w.oldest - s.first)
	if i+frontAhead < s.n {
		prefetchAt(unsafe.Pointer(&s.fixedPart(i + frontAhead)[0]))
	}
	if i+1 < s.n {
		prefetchAt(unsafe.Pointer(&s.block[s.at(i+1)]))
	}
}

// frontAhead is how many documents ahead of the oldest one the place where the record begins is fetched.
const frontAhead = 4

// forgetLookups drops all prepared lookups. It is called after the tables were rebuilt.
func (x *Buckets) forgetLookups() {
	x.probed.keys = x.probed.keys[:0]
	for i := range x.ahead {
		x.ahead[i].keys = x.ahead[i].keys[:0]
	}
}
