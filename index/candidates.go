package index

import (
	"cmp"
	"slices"
)

// walk is a lookup in one band that goes on: the line it has come to, and how many documents of equal key it has met.
type walk struct {
	line      *line
	band, met int
}

// candidates finds the visible documents that share a band key with keys, and returns them ranked, the most promising first:
// those met in most bands, and of these the one indexed first. In each band the newest documents of equal key are met, up to
// max_candidates; cut is the number of bands in which there were more.
//
// All bands take a step at a time: the memory they wait for is then fetched for all of them at once.
func (w *window) candidates(keys []byte) (ranks []rank, cut int) {
	w.probe(keys)
	w.met, w.walks = w.met[:0], w.walks[:0]
	now := w.span()
	for b := range w.probed.probes {
		cut += w.step(walk{line: w.probed.probes[b].line, band: b}, now)
	}
	for len(w.walks) > 0 {
		walks := w.walks
		w.walks = w.walks[:0]
		for _, k := range walks {
			cut += w.step(k, now)
		}
	}
	return w.rank(), cut
}

// step looks through a line, and has the walk go on if there is another line. cut is 1 if it was cut.
func (w *window) step(k walk, now span) (cut int) {
	p := &w.probed.probes[k.band]
	want, number := pack(p.hash, 0, uint(p.level)), ring(uint(p.level))
	if k.line.has(want, ^number) {
		if cut, end := w.meet(&k, p, now); end {
			return cut
		}
	}
	if k.line.link() > 0 {
		k.line = w.tables[k.band].older(k.line)
		w.walks = append(w.walks, k)
	}
	return 0
}

// meet goes through the entries of a line, from the newest to the oldest. end says that no older one is of interest.
func (w *window) meet(k *walk, p *probe, now span) (cut int, end bool) {
	want, number := pack(p.hash, 0, uint(p.level)), ring(uint(p.level))
	for i := k.line.count(); i > 0; i-- {
		x := k.line[i]
		if (x^want)&^number != 0 {
			continue
		}
		age := now.age(x, uint(p.level))
		if age >= now.visible() {
			return 0, true // as all that follow
		}
		r := now.end - 1 - ref(age)
		if !w.sameKey(r, k.band) {
			continue
		}
		if k.met++; k.met > w.most {
			return 1, true
		}
		w.met = append(w.met, r)
	}
	return 0, false
}

// sameKey says whether a document has the band key that is looked up.
func (w *window) sameKey(r ref, band int) bool {
	if l := &w.latest; l.segment == nil || l.ref != r {
		l.ref = r
		l.segment, l.i = w.at(r)
	}
	return w.latest.segment.key(w.latest.i, band) == loadKey(w.probed.keys[band*w.width:], w.width)
}

// rank is a candidate's number, below the number of bands in which it was not met.
type rank uint64

const rankBits = 48

func (r rank) ref() ref { return ref(r & (1<<rankBits - 1)) }

// rank orders what was met.
func (w *window) rank() []rank {
	slices.Sort(w.met)
	w.ranks = w.ranks[:0]
	for i := 0; i < len(w.met); {
		j := i + 1
		for ; j < len(w.met) && w.met[j] == w.met[i]; j++ {
		}
		w.ranks = append(w.ranks, rank(len(w.tables)-(j-i))<<rankBits|rank(w.met[i]))
		i = j
	}
	slices.Sort(w.ranks)
	return w.ranks
}

// keyed is an entry with its band key.
type keyed struct {
	item
	key uint64
}

// tooLong says that a bucket has more lines than it needs for a key as popular as a lookup may see and some others. As it is
// trimmed only when its length has doubled, what is too long for other reasons costs no more either.
func (w *window) tooLong(lines int) bool { return lines > w.most/lineSlots+3 && lines&(lines-1) == 0 }

// trim drops from a bucket what no lookup can meet any more: of each key all but the newest documents that a lookup counts.
// As older documents expire first, they would never be among those again. So a bucket stays short however popular a key is.
func (w *window) trim(band, bucket int) {
	t := &w.tables[band]
	t.items = t.gather(t.items[:0], bucket, w.span())
	t.keyed = t.keyed[:0]
	for _, it := range t.items {
		s, i := w.at(it.ref)
		t.keyed = append(t.keyed, keyed{item: it, key: s.key(i, band)})
	}
	newestFirst := func(a, b keyed) int { return cmp.Compare(b.ref, a.ref) }
	slices.SortFunc(t.keyed, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), newestFirst(a, b)) })
	kept, key, of := t.keyed[:0], uint64(0), 0
	for _, k := range t.keyed {
		if k.key != key {
			key, of = k.key, 0
		}
		if of++; of <= w.most+1 {
			kept = append(kept, k)
		}
	}
	slices.SortFunc(kept, newestFirst)
	t.items = t.items[:0]
	for _, k := range kept {
		t.items = append(t.items, k.item)
	}
	t.rewrite(bucket, t.items)
}
