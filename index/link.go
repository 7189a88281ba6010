package index

// linkBand makes the table of a band anew. Bands share nothing that it writes.
func (w *window) linkBand(band int) { w.linkInto(band, newTable(w.visible())) }

// linkInto fills the table of a band, which is empty and large enough.
func (w *window) linkInto(band int, empty table) {
	t := &w.tables[band]
	*t = empty
	l := linker{window: w, table: t, band: band, page: make([]int, len(t.lines)+1)}
	for r := w.oldest; r < w.end; {
		r = l.block(r, min(w.end, r+linkBlock))
	}
}

// linkBlock bounds the documents that are sorted at once: 24 MiB for a band that is linked.
const linkBlock = 1 << 21

// linker links documents in blocks, each sorted by the page of its bucket: while a page is filled it stays in the caches.
// Within a page the documents keep their order, so that the table becomes the same.
type linker struct {
	window *window
	table  *table
	band   int
	hashes []uint32 // of the documents of the block
	page   []int    // where the documents of a page begin
	sorted []hashed
	heads  uint32
}

// hashed is a document of the block.
type hashed struct{ hash, at uint32 }

// block links the documents from first up to, but without, end.
func (l *linker) block(first, end ref) ref {
	l.hash(first, end)
	l.sort()
	w := l.window
	now := w.span()
	for begin := 0; begin < len(l.sorted); begin += linkAhead {
		ahead := l.sorted[begin:min(begin+linkAhead, len(l.sorted))]
		l.look(ahead)
		for _, h := range ahead {
			bucket, level := l.table.bucket(h.hash)
			lines := l.table.insert(l.table.lines.at(bucket), level, h.hash, first+ref(h.at), now)
			if w.tooLong(lines) {
				w.trim(l.band, bucket)
			}
		}
	}
	return end
}

// hash hashes the keys and counts the documents of each page.
func (l *linker) hash(first, end ref) {
	clear(l.page)
	l.hashes = l.hashes[:0]
	if cap(l.hashes) < int(end-first) {
		l.hashes = make([]uint32, 0, end-first)
	}
	for r := first; r < end; {
		s, i := l.window.at(r)
		n := min(s.n-i, int(end-r))
		for k := range n {
			hash := hashKey(s.key(i+k, l.band))
			b, _ := l.table.bucket(hash)
			l.hashes = append(l.hashes, hash)
			l.page[b/pageLines+1]++
		}
		r += ref(n)
	}
}

// sort sorts the documents by page.
func (l *linker) sort() {
	if cap(l.sorted) < len(l.hashes) {
		l.sorted = make([]hashed, len(l.hashes))
	}
	l.sorted = l.sorted[:len(l.hashes)]
	for i := 1; i < len(l.page); i++ {
		l.page[i] += l.page[i-1]
	}
	for i, hash := range l.hashes {
		b, _ := l.table.bucket(hash)
		at := &l.page[b/pageLines]
		l.sorted[*at] = hashed{hash, uint32(i)}
		*at++
	}
}

// linkAhead documents are looked at before they are linked: the memory they wait for is then fetched for all of them at once.
const linkAhead = 32

func (l *linker) look(ahead []hashed) {
	for _, h := range ahead {
		b, _ := l.table.bucket(h.hash)
		l.heads += l.table.lines.at(b)[0]
	}
}
