package window

import (
	"bytes"
	"maps"
	"slices"
	"sort"

	"github.com/unecho/unecho/index/entry"
)

// find visits the documents that have a key in a list of a block, which may be there, the newest first, as long as most is
// positive. visit counts it down. What is not there counts, so that no more is wanted than will be met.
func (b *Block) find(of pageReader, list int, key uint32, most *int, into []uint32, visit func(Ref)) []uint32 {
	from, to := b.postings.Pages(list, key)
	for page := to - 1; page >= from && *most > 0; page-- {
		data := of.page(Want{b.file, page}, b.postings)
		if data == nil {
			if page > from && page < to-1 {
				*most -= postingsPage
			}
			continue
		}
		into = b.postings.Find(into[:0], page, data, key)
		for k := len(into) - 1; k >= 0 && *most > 0; k-- {
			visit(b.first + Ref(into[k]))
		}
	}
	return into
}

// postingsPage is how many postings of one key a page has, if it is neither the first nor the last with the key.
const postingsPage = 512

// meetOld appends to x.met the newest documents of blocks that have a key, up to most. It meets none of those whose
// postings or keys are wanted.
func (x *Buckets) meetOld(table, most int, tag uint32, fine bool) {
	key, list := tag, fineList(tag, x.whole())
	if !fine {
		key, list = oldKey(x.probed.keys, table, x.whole()), table
	}
	visit := func(r Ref) {
		if r < x.of.oldest {
			most = 0
			return
		}
		s, i := x.of.at(r)
		is, read := x.stands(s, i, list)
		if is && read {
			x.met = append(x.met, Met{number: r, segment: s, i: i})
		}
		if is || !read {
			most--
		}
	}
	h := &x.of.files
	may := ^uint64(0)
	if !fine && x.may != nil {
		may = x.may[list]
	}
	for k := len(h.blocks) - 1; k >= 0 && most > 0 && h.wants < mostAhead; k-- {
		if b := h.blocks[k]; (k >= asked || may>>k&1 == 1) && b.postings.May(list, key) {
			x.places = b.find(h, list, key, &most, x.places, visit)
		}
	}
}

// stands says whether a document is met where a list has it: the one of all bands together has hashes of keys, the others
// have whole keys. read is false if its digest or its keys are wanted.
func (x *Buckets) stands(s *segment, i, list int) (is, read bool) {
	read = len(s.digest(i)) > 0
	if list != x.whole() {
		return read, read
	}
	own := s.keys(i)
	read = read && len(own) > 0
	return read && bytes.Equal(own, x.probed.keys), read
}

// asked is how many blocks, the oldest ones, a search asks for the window.
const asked = 64

// may returns which blocks may have each of some keys, as a search has found; nil if none has searched for them, or other
// blocks stand now.
func (h *Files) may(keys []byte) []uint64 {
	if h.old == nil || h.old != h.searched {
		return nil
	}
	return h.mays[string(keys)]
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
func (h *Files) page(w Want, _ Sounder) []byte {
	data := h.read[w]
	if data == nil {
		h.want(w)
	}
	return data
}

// Old is what blocks find, for searches beside the window. It never changes.
type Old struct {
	blocks []*Block
	bands  int
	some   []segment // in blocks and away
	firsts []Ref
}

// Old returns what blocks find now.
func (h *Files) Old() *Old {
	if h.old == nil {
		h.old = &Old{blocks: h.blocks, bands: h.of.buckets.whole()}
		for _, s := range h.of.segments[:min(h.covered(), len(h.of.segments))] {
			if s.ats != nil {
				h.old.some, h.old.firsts = append(h.old.some, *s), append(h.old.firsts, s.first)
			}
		}
	}
	return h.old
}

// Sought is an entry, and the tags of the fine keys that it is looked up by.
type Sought struct {
	*entry.Entry
	Fine []uint32
}

// Search reads ahead what lookups will want of old documents. It may run beside the window.
type Search struct {
	Entries []Sought // to be looked up
	Old     *Old
	Most    int // documents of each key
	Read    func(w Want) ([]byte, error)
	Pages   map[Want][]byte // what was read

	mays   map[string][]uint64 // by all keys of an entry: for each of them a bit for each block that may have it
	left   int                 // pages that the lookup at hand may still read
	digest entry.Digest        // of its entry
	near   []Ref               // documents whose records it will want
	places []uint32
	keys   []uint32 // its keys, by list
}

// page implements pageReader. What cannot be read, or is damaged, is not there: the window will want it.
func (s *Search) page(w Want, by Sounder) []byte {
	data, is := s.Pages[w]
	if is || s.left == 0 {
		return data
	}
	s.left--
	data, err := s.Read(w)
	if err != nil || !by.Sound(w.Page, data) {
		data = nil
	}
	s.Pages[w] = data
	return data
}

// lookupPages bounds the pages that a lookup reads ahead. Those that it leaves out are wanted in their turn.
const lookupPages = 64

// Lookup reads what a lookup of an entry will want: postings, digests, and the records of documents that are near.
func (s *Search) Lookup(e Sought) {
	s.left, s.digest, s.near = lookupPages, entry.ReadDigest(e.Digest), s.near[:0]
	mays := make([]uint64, s.Old.bands+1)
	s.keys = s.keys[:0]
	for list := range mays {
		s.keys = append(s.keys, oldKey(e.Keys, list, s.Old.bands))
	}
	for k, b := range s.Old.blocks[:min(asked, len(s.Old.blocks))] {
		b.postings.MayAll(s.keys, 1<<k, mays)
	}
	for list, key := range s.keys {
		s.find(list, key, e.Keys, mays[list])
	}
	if s.mays == nil {
		s.mays = map[string][]uint64{}
	}
	s.mays[string(e.Keys)] = mays
	for _, tag := range e.Fine {
		s.find(fineList(tag, s.Old.bands), tag, nil, ^uint64(0))
	}
	for _, r := range s.near {
		of, i := s.Old.at(r)
		end := of.used
		if i+1 < of.n {
			end = of.at(i + 1)
		}
		of.filed.bytes(s, of.at(i), end)
	}
}

// find reads what a lookup of some keys will want under one of them. may has a bit for each of the oldest blocks that may
// have it.
func (s *Search) find(list int, key uint32, keys []byte, may uint64) {
	left := s.Most
	visit := func(r Ref) {
		of, i := s.Old.at(r)
		if of == nil {
			return
		}
		digest := of.filed.bytes(s, of.digestAt(i), of.digestAt(i+1))
		is, read := digest != nil, digest != nil
		if is && list == s.Old.bands { // which has hashes of keys
			own := of.filed.bytes(s, of.keysAt(i), of.keysAt(i+1))
			is, read = bytes.Equal(own, keys), own != nil
		}
		if is || !read {
			left--
		}
		if is && s.digest.Distance(digest) <= nearDigests {
			s.near = append(s.near, r)
		}
	}
	for k := len(s.Old.blocks) - 1; k >= 0 && left > 0; k-- {
		b := s.Old.blocks[k]
		if k < asked && may>>k&1 == 0 || !b.postings.May(list, key) {
			continue
		}
		s.places = b.find(s, list, key, &left, s.places, visit)
	}
}

// at returns the segment that has a document, and its place there; nil if the segment is not away.
func (o *Old) at(r Ref) (*segment, int) {
	k := sort.Search(len(o.firsts), func(k int) bool { return o.firsts[k] > r }) - 1
	if k < 0 || r >= o.firsts[k]+Ref(o.some[k].n) {
		return nil, 0
	}
	return &o.some[k], int(r - o.firsts[k])
}

// Know takes what a search has found, but for what is out of date.
func (h *Files) Know(s *Search) {
	if h.searched != s.Old || h.mays == nil {
		h.searched, h.mays = s.Old, map[string][]uint64{}
	}
	maps.Copy(h.mays, s.mays)
	h.Take(s.Pages)
}
