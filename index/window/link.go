package window

import "slices"

// linkTogether is how many neighbouring bands one goroutine links. Their keys stand side by side in memory, so that it
// is read once for all of them.
const linkTogether = 3

// linkGroups returns the number of groups of bands.
func (x *Buckets) linkGroups() int { return (len(x.tables) + linkTogether - 1) / linkTogether }

// linkGroup rebuilds the tables of a group of bands, sized for this many documents. Groups write no memory in common.
func (x *Buckets) linkGroup(group, documents int) {
	l := linker{buckets: x, first: group * linkTogether}
	l.tables = x.tables[l.first:min(l.first+linkTogether, len(x.tables))]
	for b := range l.tables {
		l.tables[b] = x.newTable(documents)
		l.hashes[b] = make([]hashed, 0, min(int(x.of.span().visible()), linkBlock))
	}
	l.page = make([]int, len(l.tables[0].lines)+1)
	for r := x.of.span().oldest; r < x.of.end; {
		r = l.block(r, min(x.of.end, r+linkBlock))
	}
}

// linkBlock bounds the documents that are sorted at once; they take 10 MiB in each group.
const linkBlock = 1 << 19

// linker links documents in blocks, each sorted by the page of its bucket, so that a page stays in the caches while it
// is filled. Within a page the documents keep their order, so the resulting table is the same as without sorting.
type linker struct {
	buckets *Buckets
	tables  []table
	first   int                    // band of the first table
	hashes  [linkTogether][]hashed // per table: the references of the block, in the order of their documents
	page    []int                  // per page: where its documents begin in sorted
	sorted  []hashed
	heads   uint32
}

// hashed is a reference to a document of the block: a key's hash, and the document's place in the block.
type hashed struct{ hash, at uint32 }

// block links the documents from first up to, but not including, end, and returns end.
func (l *linker) block(first, end Ref) Ref {
	l.hash(first, end)
	for b := range l.tables {
		t := &l.tables[b]
		l.sort(t, l.hashes[b])
		begin := 0
		for page, end := range l.page[:len(t.lines)] {
			l.fill(t, page, first, l.sorted[begin:end])
			begin = end
		}
	}
	return end
}

// hash fills hashes for the documents from first up to, but not including, end.
func (l *linker) hash(first, end Ref) {
	for b := range l.tables {
		l.hashes[b] = l.hashes[b][:0]
	}
	for r := first; r < end; {
		s, i := l.buckets.of.at(r)
		n := min(s.n-i, int(end-r))
		for k := range n {
			l.hashDocument(s, i+k, uint32(int(r-first)+k))
		}
		r += Ref(n)
	}
}

// hashDocument adds the references to a document.
func (l *linker) hashDocument(s *segment, i int, at uint32) {
	x, keys := l.buckets, s.keys(i)
	if !s.linked(i) {
		for b := range l.tables {
			l.hashes[b] = append(l.hashes[b], hashed{x.tag(keys, l.first+b), at})
		}
		return
	}
	links := s.linksOf(i)
	for b := range l.tables {
		if links.Own(l.first + b) {
			l.hashes[b] = append(l.hashes[b], hashed{x.tag(keys, l.first+b), at})
		}
	}
	links.Tags(func(tag uint32) {
		if b := x.fineTable(tag) - l.first; b >= 0 && b < len(l.tables) {
			l.hashes[b] = append(l.hashes[b], hashed{tag, at})
		}
	})
}

// sort fills sorted and page for one table (a counting sort by page).
func (l *linker) sort(t *table, hashes []hashed) {
	clear(l.page)
	l.sorted = slices.Grow(l.sorted[:0], len(hashes))[:len(hashes)]
	for _, h := range hashes {
		b, _ := t.bucket(h.hash)
		l.page[b/pageLines+1]++
	}
	for i := 1; i < len(l.page); i++ {
		l.page[i] += l.page[i-1]
	}
	for _, h := range hashes {
		b, _ := t.bucket(h.hash)
		at := &l.page[b/pageLines]
		l.sorted[*at] = h
		*at++
	}
}

// fill puts references into a page of a table; first is the number of the block's first document.
func (l *linker) fill(t *table, page int, first Ref, documents []hashed) {
	now := l.buckets.of.span()
	lines := t.lines[page]
	l.touch(lines)
	for _, h := range documents {
		bucket, level := t.bucket(h.hash)
		at, r := &lines[uint(bucket)%pageLines], first+Ref(h.at)
		if at.count() < lineSlots {
			at.add(pack(h.hash, r, level))
		} else {
			t.insert(at, level, h.hash, r, now)
		}
	}
}

// touch reads a page line by line, which the processor prefetches well. fill then reads it in random order.
func (l *linker) touch(lines []line) {
	for i := range lines {
		l.heads += lines[i][0]
	}
}
