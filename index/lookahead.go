package index

import "bytes"

// A lookup waits for memory: a line in each band, somewhere in its table. But what a run looks up is known before its turn. So
// while an entry is judged, the lines of the second one after it are being fetched, and what the lines of the next one lead to:
// the processor waits for none of them. Whatever is fetched is looked up in its turn, so no verdict depends on it.

// foreseen is how many lookups are prepared before their turn.
const foreseen = 2

// lookup is the buckets of a document's band keys.
type lookup struct {
	keys   []byte // empty: none
	probes []probe
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
	p.hash = hashKey(loadKey(l.keys[b*w.width:], w.width))
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

// foresee moves on by an entry of a run, and prepares the lookup of keys, those of the second one after it; none if they are
// empty.
func (w *window) foresee(keys []byte) {
	near, far := &w.ahead[0], &w.ahead[1]
	w.probed, *near, *far = *near, *far, w.probed
	w.renew(&w.probed)
	if far.keys = far.keys[:0]; len(keys) > 0 {
		w.locate(far, keys)
		w.fetch(far)
	}
	if len(near.keys) > 0 {
		w.fetchOlder(near)
	}
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
		prefetchByte(&s.fixedPart(i + frontAhead)[0])
	}
	if i+1 < s.n {
		prefetchByte(&s.block[s.at(i+1)])
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
