package index

import (
	"cmp"
	"slices"
)

// walk is a lookup in one band: the line it has come to, and how many documents of equal key it has met.
type walk struct {
	line      *line
	head      uint32 // of that line: reading it early is what overlaps the cache misses of the bands
	want      uint32 // the tag of the key, in its place
	level     uint
	key       uint64
	band, met int
}

// candidates finds the visible documents that share a band key with keys, and returns their numbers as ranks, the most
// promising first: those met in most bands, and of these the one indexed first. In each band the newest documents of equal
// key are met, up to max_candidates; cut is the number of bands in which there were more.
//
// All bands take a step at a time: the memory they wait for is then fetched for all of them at once.
func (w *window) candidates(keys []byte) (ranks []rank, cut int) {
	w.met = w.met[:0]
	walks := w.walks[:len(w.tables)]
	for b := range walks {
		t := &w.tables[b]
		key := loadKey(keys[b*w.width:], w.width)
		hash := hashKey(key)
		bucket, level := t.bucket(hash)
		l := t.lines.at(bucket)
		walks[b] = walk{line: l, head: l[0], want: pack(hash, 0, level), level: level, key: key, band: b}
	}
	for now := w.span(); len(walks) > 0; {
		on := walks[:0]
		for i := range walks {
			more, full := w.step(&walks[i], now)
			if full {
				cut++
			}
			if more {
				on = append(on, walks[i])
			}
		}
		walks = on
	}
	return w.rank(), cut
}

// step looks through a line, from the newest entry to the oldest. more says that there is another line, full that the walk
// was cut.
func (w *window) step(k *walk, now span) (more, full bool) {
	number := ring(k.level)
	for i := int(k.head & countMask); i > 0; i-- {
		x := k.line[i]
		if (x^k.want)&^number != 0 {
			continue
		}
		age := now.age(x, k.level)
		if age >= now.visible() {
			return false, false // as all that follow
		}
		r := now.end - 1 - ref(age)
		if s, at := w.at(r); s.key(at, k.band) != k.key {
			continue
		}
		if k.met++; k.met > w.most {
			return false, true
		}
		w.met = append(w.met, r)
	}
	if k.line = w.tables[k.band].older(k.line); k.line == nil {
		return false, false
	}
	k.head = k.line[0]
	return true, false
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

// longest is how many lines a bucket may have before it is trimmed: enough for a key that is as popular as a lookup may see,
// and some others.
func (w *window) longest() int { return w.most/lineSlots + 3 }

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
