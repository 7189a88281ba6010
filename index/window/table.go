package window

import "slices"

// table holds the buckets of one band, by linear hashing (Litwin 1980). It grows and shrinks by single buckets, so that
// no document waits for a whole table to be copied. Buckets below n - 2^level, and those from 2^level on, are
// already split and use level + 1 bits of the hash. The buckets between them use level bits.
//
//	0         n-2^level          2^level           n
//	├──────────────┼─────────────────┼──────────────┤
//	│ level + 1    │ level           │ level + 1    │
type table struct {
	lines pages // one per bucket
	spill spill // lines that buckets spill over to
	n     int
	level uint
	swept int // number of the bucket to be swept next; n or more if all are
	since Ref // oldest visible document when the sweep at hand began

	items  []item   // scratch memory for the bucket at hand
	halves []uint32 // the same, for the two halves of a bucket that is split
}

const (
	// tableLoad is the number of visible documents per bucket, three quarters of a line. Where documents are linked under
	// fine keys a bucket has more references, and lines behind its first.
	tableLoad = 11
	// sweepEvery is the number of indexed documents for each bucket of a table that is swept.
	sweepEvery = 4
	minLevel   = 2
	maxLevel   = hashBits - 1
)

// newTable builds an empty table with buckets for this many documents.
func newTable(documents int) table {
	t := table{n: 1 << minLevel, level: minLevel}
	t.n = min(max(t.n, (documents+tableLoad-1)/tableLoad), 1<<maxLevel)
	for 2<<t.level <= t.n {
		t.level++
	}
	t.lines.extend(t.n - 1)
	return t
}

// bucket returns the bucket and level of a hash. It has no branch, because the processor could not predict which
// buckets are split.
func (t *table) bucket(hash uint32) (b int, level uint) {
	low := int(hash) & (1<<(t.level&31) - 1)
	split := uint(low-(t.n-1<<(t.level&31))) >> 63 // 1 if bucket low is split already
	level = t.level + split
	return int(hash) & (1<<(level&31) - 1), level
}

func (t *table) levelOf(b int) uint {
	if b >= 1<<t.level || b < t.n-1<<t.level {
		return t.level + 1
	}
	return t.level
}

// insert adds the newest document to its bucket, whose first line is l.
func (t *table) insert(l *line, level uint, hash uint32, r Ref, s span) {
	if l.link() > 0 {
		t.takeBack(l, level, s)
	}
	if l.count() == lineSlots {
		l.compact(level, s)
	}
	if l.count() == lineSlots {
		t.spillOver(l)
	}
	l.add(pack(hash, r, level))
}

// takeBack merges l with the spill line behind it, and frees that line, if so many entries have expired that l has room
// for the others and one more.
func (t *table) takeBack(l *line, level uint, s span) {
	older := t.older(l)
	n, all := l.count(), older.count()
	least := n + all + 1 - lineSlots // number of entries that must have expired
	if least > all || least > 0 && s.age(older[least], level) < s.visible() {
		return
	}
	k := older.expired(level, s)
	if k == 0 && older.link() > 0 {
		return // the line behind it is still needed
	}
	copy(l[1+all-k:], l[1:1+n])
	copy(l[1:], older[1+k:1+all])
	for link := l.link(); link > 0; {
		link = t.spill.give(link)
	}
	l[0] = uint32(n + all - k)
}

// spillOver moves the entries of a full line to a new spill line.
func (t *table) spillOver(l *line) {
	link := t.spill.take()
	*t.spill.line(link) = *l
	l[0] = link << countBits
}

// length returns the number of lines of a bucket whose first line is l.
func (t *table) length(l *line) (lines int) {
	for ; l != nil; l = t.older(l) {
		lines++
	}
	return lines
}

// older returns the line linked behind l, which holds older entries; nil if there is none.
func (t *table) older(l *line) *line {
	if link := l.link(); link > 0 {
		return t.spill.line(link)
	}
	return nil
}

// gather appends the visible entries of a bucket, newest first.
func (t *table) gather(to []item, b int, s span) []item {
	level := t.levelOf(b)
	low := uint32(b) & (1<<level - 1)
	for l := t.lines.at(b); l != nil; l = t.older(l) {
		for i := l.count(); i > 0; i-- {
			age := s.age(l[i], level)
			if age >= s.visible() {
				return to
			}
			to = append(to, item{Ref: s.end - 1 - Ref(age), hash: l[i]>>(level+ringBits)<<level | low})
		}
	}
	return to
}

// rewrite replaces the entries of a bucket by items, which are newest first.
func (t *table) rewrite(b int, items []item) {
	level, l := t.levelOf(b), t.lines.at(b)
	for link := l.link(); link > 0; {
		link = t.spill.give(link)
	}
	l[0] = 0
	for i := len(items) - 1; i >= 0; i-- {
		if l.count() == lineSlots {
			t.spillOver(l)
		}
		l.add(pack(items[i].hash, items[i].Ref, level))
	}
}

// fit grows or shrinks the table by up to this many buckets towards the right size for this many documents, and
// returns how many entries were moved. The size for shrinking is a tenth below that for growing, so that a window of
// steady size keeps its table.
func (t *table) fit(documents, buckets int, s span) (moved int) {
	for ; buckets > 0; buckets-- {
		switch {
		case documents > t.n*tableLoad && t.n < 1<<maxLevel:
			moved += t.split(s)
		case documents < (t.n-1)*tableLoad*9/10 && t.n > 1<<minLevel:
			moved += t.merge(s)
		default:
			return moved
		}
	}
	return moved
}

// due returns how many buckets are to be split for this many documents.
func (t *table) due(documents int) int {
	return min((documents+tableLoad-1)/tableLoad, 1<<maxLevel) - t.n
}

// split divides the next bucket in two.
func (t *table) split(s span) (moved int) {
	from, to, level := t.n-1<<t.level, t.n, t.level
	t.lines.extend(to)
	if t.swept == t.n {
		t.swept++ // the new bucket is swept, too
	}
	if t.n++; t.n == 2<<level {
		t.level++
	}
	l := t.lines.at(from)
	stay, leave := t.halve(l, level, s)
	t.put(l, stay)
	t.put(t.lines.at(to), leave)
	return len(stay) + len(leave)
}

// halve returns the visible entries of the two buckets that the bucket of first line l is split into, oldest first. It
// writes each entry to both halves and keeps it in one of them, because the processor could not predict a branch.
func (t *table) halve(l *line, level uint, s span) (stay, leave []uint32) {
	n := t.length(l) * lineSlots
	if len(t.halves) < 2*n {
		t.halves = make([]uint32, 2*n)
	}
	stay, leave = t.halves[:n], t.halves[n:2*n]
	newest, visible, number := uint32(s.end)-1, s.visible(), ring(level+1)
	at, other := n, n
	for ; l != nil; l = t.older(l) {
		for i := l.count(); i > 0; i-- {
			x := l[i&countMask]
			age := (newest - x) & ring(level)
			if age >= visible {
				return stay[at:], leave[other:]
			}
			bit := int(x >> ((level + ringBits) & 31) & 1) // the lowest of the tag
			x = x&^number | (newest-age)&number
			stay[at-1], leave[other-1] = x, x
			at, other = at-1+bit, other-bit
		}
	}
	return stay[at:], leave[other:]
}

// put replaces the entries of the bucket of first line l by these, which are oldest first.
func (t *table) put(l *line, entries []uint32) {
	for link := l.link(); link > 0; {
		link = t.spill.give(link)
	}
	for l[0] = 0; len(entries) > lineSlots; entries = entries[lineSlots:] {
		copy(l[1:], entries[:lineSlots])
		l[0] |= lineSlots
		t.spillOver(l)
	}
	l[0] |= uint32(copy(l[1:], entries))
}

// merge reverses the latest split.
func (t *table) merge(s span) (moved int) {
	from, level := t.n-1, t.level
	if t.n == 1<<level {
		level--
	}
	to := from - 1<<level
	all := t.gather(t.gather(t.items[:0], to, s), from, s)
	slices.SortFunc(all, func(a, b item) int { return int(b.Ref) - int(a.Ref) })
	t.rewrite(from, nil)
	t.n, t.level = from, level
	t.rewrite(to, all)
	if t.n%pageLines == 0 {
		t.lines[t.n/pageLines] = nil
		t.lines = t.lines[:t.n/pageLines]
	}
	t.items = all[:0]
	return len(all)
}

// sweep drops the expired entries of this many buckets, from where the last call stopped. It does nothing while the
// table is idle.
func (t *table) sweep(buckets int, s span) {
	for range buckets {
		if t.swept >= t.n {
			if t.idle(s) {
				return
			}
			t.swept, t.since = 0, s.oldest
		}
		t.clean(t.swept, s)
		t.swept++
	}
}

// idle says that a sweep would change nothing: no document has expired since the last one began, and the spill lines
// stand close together.
func (t *table) idle(s span) bool {
	return t.swept >= t.n && t.since == s.oldest && !t.spill.loose()
}

// clean drops the expired entries of a bucket. It also moves its spill lines if one is on a page that should be given
// back.
func (t *table) clean(b int, s span) {
	l, level := t.lines.at(b), t.levelOf(b)
	if l.link() == 0 {
		l.compact(level, s)
		return
	}
	oldest, beyond := l, false
	for older := l; older != nil; older = t.older(older) {
		oldest, beyond = older, beyond || older.link() > 0 && t.spill.beyond(older.link())
	}
	if beyond || oldest.expired(level, s) > 0 {
		t.items = t.gather(t.items[:0], b, s)
		t.rewrite(b, t.items)
	}
}

// bytes returns the memory that the table takes.
func (t *table) bytes() int64 { return int64(len(t.lines)+len(t.spill.pages)) * pageLines * lineBytes }

// tableBytes returns what a table of so many documents takes at most.
func tableBytes(documents int64) int64 {
	const page = pageLines * lineBytes
	lines := documents * lineBytes / tableLoad
	spilt := documents*BucketBytes - lines
	return (lines+page-1)/page*page + (spilt+page-1)/page*page
}
