package window

import "slices"

// meetOld appends to x.met the newest documents of blocks that have a key, up to most. It meets none of those whose
// postings or keys are wanted.
func (x *Buckets) meetOld(table, most int, tag uint32, fine bool) {
	h, key, list := &x.of.files, tag, x.whole()+1
	if !fine {
		key, list = oldKey(x.probed.keys, table, x.whole()), table
	}
	for _, b := range slices.Backward(h.blocks) {
		if !b.postings.May(list, key) {
			continue
		}
		from, to := b.postings.Pages(list, key)
		missing := 0
		for page := to - 1; page >= from && missing*postingsPage <= most; page-- {
			data := h.page(Want{b.file, page})
			if data == nil {
				missing++
				continue
			}
			x.places = b.postings.Find(x.places[:0], page, data, key)
			if most = x.meetPlaces(b, table, most, tag, fine); most == 0 {
				return
			}
		}
	}
}

// postingsPage is how many postings of one key a page has, if it is neither the first nor the last with the key.
const postingsPage = 512

// meetPlaces meets documents of a block, the newest first, and returns how many may still be met.
func (x *Buckets) meetPlaces(b *Block, table, most int, tag uint32, fine bool) int {
	for _, place := range slices.Backward(x.places) {
		r := b.first + Ref(place)
		if most == 0 || r < x.of.oldest {
			return 0
		}
		s, i := x.of.at(r)
		own := s.keys(i)
		if len(own) > 0 && x.under(own, table, tag, fine) {
			x.met = append(x.met, Met{number: r, segment: s, i: i})
			most--
		}
	}
	return most
}

// wantOld wants what a lookup of keys will meet among old documents, and the records of those that are near.
func (x *Buckets) wantOld(l *lookup, most int) {
	x.met = x.met[:0]
	x.probe(l.keys)
	for table := range x.tables {
		x.meetOld(table, most, x.Tag(table), false)
	}
	for k := range x.met {
		if m := &x.met[k]; l.digest.Distance(m.Digest()) <= nearDigests {
			m.segment.record(m.i)
		}
	}
	x.met = x.met[:0]
}

// BlockOf returns the block of a file; nil if there is none.
func (h *Files) BlockOf(file string) *Block {
	k := slices.IndexFunc(h.blocks, func(b *Block) bool { return b.file == file })
	if k < 0 {
		return nil
	}
	return h.blocks[k]
}

// page returns a page that was given; nil if it is wanted.
func (h *Files) page(w Want) []byte {
	data := h.read[w]
	if data == nil {
		h.want(w)
	}
	return data
}
