package index

import (
	"bytes"
	"slices"
	"unsafe"
)

// A lookup waits for memory: a line in each band, somewhere in its table; then for the documents that these lead to. But what
// a run looks up is known before its turn. So while an entry is judged, those after it take a step each, and the processor
// waits for none of them:
//
//	third      the lines of its buckets are fetched
//	second     the lines behind them, and where the documents begin that it will probably meet
//	next       these documents
//
// Whatever is fetched is looked up in its turn, so no verdict depends on it.

// foreseen is how many lookups are prepared before their turn.
const foreseen = 3

// lookup is the buckets of a document's band keys.
type lookup struct {
	keys   []byte // empty: none
	probes []probe
	likely []ref // documents that it will probably meet
}

// probe is a band key's bucket.
type probe struct {
	line    *line
	hash    uint32
	level   uint32
	bucket  uint32
	resized uint32 // of the table, when this was found
}

func newLookup(bands int) lookup { return lookup{probes: make([]probe, bands)} }

// probe finds the buckets of band keys, unless they were found before.
func (w *window) probe(keys []byte) {
	if bytes.Equal(keys, w.probed.keys) {
		return
	}
	w.locate(&w.probed, keys)
	w.fetch(&w.probed)
}

// locate finds the buckets of band keys. They are good until a table grows or shrinks.
func (w *window) locate(l *lookup, keys []byte) {
	l.keys = append(l.keys[:0], keys...)
	for b := range w.tables {
		w.locateIn(l, b)
	}
}

func (w *window) locateIn(l *lookup, b int) {
	t, p := &w.tables[b], &l.probes[b]
	p.hash = w.tag(l.keys, b)
	bucket, level := t.bucket(p.hash)
	p.line, p.bucket, p.level, p.resized = t.lines.at(bucket), uint32(bucket), uint32(level), t.resized
}

// renew finds the buckets once more in those tables that have grown or shrunk.
func (w *window) renew(l *lookup) {
	if len(l.keys) == 0 {
		return
	}
	for b := range w.tables {
		if l.probes[b].resized != w.tables[b].resized {
			w.locateIn(l, b)
		}
	}
}

// foresee moves on by an entry of a run, and prepares the lookup of keys, those of the third one after it; none if they are
// empty.
func (w *window) foresee(keys []byte) {
	next, second, third := &w.ahead[0], &w.ahead[1], &w.ahead[2]
	w.probed, *next, *second, *third = *next, *second, *third, w.probed
	w.renew(&w.probed)
	third.likely = third.likely[:0]
	if third.keys = third.keys[:0]; len(keys) > 0 {
		w.locate(third, keys)
		w.fetch(third)
	}
	if len(second.keys) > 0 {
		w.fetchOlder(second)
		w.foreseeDocuments(second)
	}
	w.fetchDocuments(next)
}

// fetch fetches the first lines of the buckets.
func (w *window) fetch(l *lookup) {
	w.fetched = w.fetched[:0]
	for b := range l.probes {
		w.fetched = append(w.fetched, l.probes[b].line)
	}
	prefetch(w.fetched)
}

// fetchOlder fetches the lines behind them.
func (w *window) fetchOlder(l *lookup) {
	w.fetched = w.fetched[:0]
	for b := range l.probes {
		p, t := &l.probes[b], &w.tables[b]
		if p.resized != t.resized {
			continue // the line may belong to no bucket by now
		}
		if older := t.older(p.line); older != nil {
			w.fetched = append(w.fetched, older)
		}
	}
	prefetch(w.fetched)
}

// likelyBands are looked through for documents that will be met: a copy is met in several bands.
const likelyBands = 6

// foreseeDocuments notes the newest documents that have the tags of the first bands, and fetches where they begin.
func (w *window) foreseeDocuments(l *lookup) {
	now := w.span()
	for b := range min(likelyBands, len(l.probes)) {
		p := &l.probes[b]
		if p.resized != w.tables[b].resized || !p.line.has(pack(p.hash, 0, uint(p.level)), ^ring(uint(p.level))) {
			continue
		}
		r, ok := p.newest(now)
		if !ok || slices.Contains(l.likely, r) {
			continue
		}
		l.likely = append(l.likely, r)
		s, i := w.at(r)
		prefetchAt(unsafe.Pointer(&s.fixedPart(i)[0]))
		prefetchAt(unsafe.Pointer(&s.keys(i)[s.fixed-atBytes-1]))
	}
}

// newest is the newest visible document whose entry has the tag, in the first line.
func (p *probe) newest(now span) (r ref, ok bool) {
	want, number := pack(p.hash, 0, uint(p.level)), ring(uint(p.level))
	for i := p.line.count(); i > 0; i-- {
		if x := p.line[i]; (x^want)&^number == 0 {
			age := now.age(x, uint(p.level))
			return now.end - 1 - ref(age), age < now.visible()
		}
	}
	return 0, false
}

// fetchDocuments fetches the records of the documents that were noted, and how often they were copied.
func (w *window) fetchDocuments(l *lookup) {
	for _, r := range l.likely {
		if r < w.oldest {
			continue
		}
		s, i := w.at(r)
		record := s.record(i)
		for k := 0; k < len(record) && k < recordAhead; k += lineBytes {
			prefetchAt(unsafe.Pointer(&record[k]))
		}
		if copies := s.changes.copies; i < len(copies) {
			prefetchAt(unsafe.Pointer(&copies[i]))
		}
	}
}

// recordAhead bounds the bytes of a record that are fetched: those of a sketch and all before it. Who reads more of a record
// reads it in a row, which processors foresee themselves.
const recordAhead = 256

// fetchSwept fetches what is swept soon: the lines of the document after the next one, and what those of the next one are
// linked to.
func (w *window) fetchSwept() {
	w.fetched = w.fetched[:0]
	t := &w.tables[int((w.end+2)%ref(len(w.tables)))]
	for b := t.swept; b < min(t.swept+w.sweeps(), t.n); b++ {
		w.fetched = append(w.fetched, t.lines.at(b))
	}
	t = &w.tables[int((w.end+1)%ref(len(w.tables)))]
	for b := t.swept; b < min(t.swept+w.sweeps(), t.n); b++ {
		if older := t.older(t.lines.at(b)); older != nil {
			w.fetched = append(w.fetched, older)
		}
	}
	prefetch(w.fetched)
}

// fetchFront fetches the record of the oldest document, which must be one, before it is asked for.
func (w *window) fetchFront() {
	s := w.segments[0]
	i := int(w.oldest - s.first)
	if i+frontAhead < s.n {
		prefetchAt(unsafe.Pointer(&s.fixedPart(i + frontAhead)[0]))
	}
	if i+1 < s.n {
		prefetchAt(unsafe.Pointer(&s.block[s.at(i+1)]))
	}
}

// frontAhead is how many documents ahead it is fetched where a record begins.
const frontAhead = 4

// forgetLookups is for tables that are made anew.
func (w *window) forgetLookups() {
	w.probed.keys = w.probed.keys[:0]
	for i := range w.ahead {
		w.ahead[i].keys = w.ahead[i].keys[:0]
	}
}
