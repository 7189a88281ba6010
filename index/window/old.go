package window

import (
	"bytes"
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

// Search looks entries up among old documents, ahead of the window, which then need not wait for reads. It may run beside the
// window. It goes in rounds, because a lookup knows what to read next by what was read: postings, then digests, then records.
type Search struct {
	Entries []Sought
	Old     *Old
	Most    int             // documents of each key
	Pages   map[Want][]byte // what was read; nil: it cannot be read, or is damaged
}

// Sought is an entry, and the tags of the fine keys that it is looked up by.
type Sought struct {
	*entry.Entry
	Fine []uint32

	mays   []uint64  // of each key a bit for each block that may have it; nil: not yet looked up
	wanted []Want    // pages that were lacking in the latest round
	by     []Sounder // of each
	read   int       // pages that were lacking in all
}

const (
	// lookupPages bounds the pages that a lookup reads ahead. The window will want the others.
	lookupPages = 64
	// roundPages bounds those of all lookups in one round: 4 MiB.
	roundPages = mostAhead
)

// Run looks entries up, and cuts those off Entries that have to wait for another search. spread calls do for each number below
// n, and returns when that is done; it may do so from several goroutines. read returns pages, in their order, and nil for one
// that cannot be read. A page may be damaged.
func (s *Search) Run(n int, spread func(n int, do func(k int)), read func([]Want) [][]byte) {
	s.Pages = map[Want][]byte{}
	seekers := make([]seeker, n)
	for {
		spread(n, func(k int) {
			for i := k; i < len(s.Entries); i += n {
				seekers[k].seek(s, &s.Entries[i])
			}
		})
		wanted, by := s.lacks()
		if len(wanted) == 0 {
			return
		}
		for i, data := range read(wanted) {
			if w := wanted[i]; by[i].Sound(w.Page, data) {
				s.Pages[w] = data
			}
		}
	}
}

// lacks returns what lookups lack, each page once. From where on it is too much, entries are cut off.
func (s *Search) lacks() (wanted []Want, by []Sounder) {
	for k := range s.Entries {
		e := &s.Entries[k]
		if k > 0 && len(wanted)+len(e.wanted) > roundPages {
			s.Entries = s.Entries[:k]
			break
		}
		for i, w := range e.wanted {
			if _, is := s.Pages[w]; !is {
				s.Pages[w] = nil
				wanted, by = append(wanted, w), append(by, e.by[i])
			}
		}
	}
	return wanted, by
}

// seeker is what one goroutine of a search has.
type seeker struct {
	*Search
	entry  *Sought      // at hand
	digest entry.Digest // of it
	near   []Ref        // documents whose records it will want
	keys   []uint32     // its keys, by list
	places []uint32
}

// page implements pageReader.
func (x *seeker) page(w Want, by Sounder) []byte {
	data, is := x.Pages[w]
	if e := x.entry; !is && e.read < lookupPages && !slices.Contains(e.wanted, w) {
		e.wanted, e.by = append(e.wanted, w), append(e.by, by)
		e.read++
	}
	return data
}

// seek looks an entry up as far as pages are there, unless it lacked none.
func (x *seeker) seek(of *Search, e *Sought) {
	if e.mays != nil && len(e.wanted) == 0 {
		return
	}
	x.Search, x.entry, x.digest, x.near, x.keys = of, e, entry.ReadDigest(e.Digest), x.near[:0], x.keys[:0]
	e.wanted, e.by = e.wanted[:0], e.by[:0]
	for list := range of.Old.bands + 1 {
		x.keys = append(x.keys, oldKey(e.Keys, list, of.Old.bands))
	}
	if e.mays == nil {
		e.mays = make([]uint64, len(x.keys))
		for k, b := range of.Old.blocks[:min(asked, len(of.Old.blocks))] {
			b.postings.MayAll(x.keys, 1<<k, e.mays)
		}
	}
	for list, key := range x.keys {
		x.find(list, key, e.mays[list])
	}
	for _, tag := range e.Fine {
		x.find(fineList(tag, of.Old.bands), tag, ^uint64(0))
	}
	for _, r := range x.near {
		s, i := of.Old.at(r)
		end := s.used
		if i+1 < s.n {
			end = s.at(i + 1)
		}
		s.filed.bytes(x, s.at(i), end)
	}
}

// find finds what a lookup will want under one of its keys. may has a bit for each of the oldest blocks that may have it.
func (x *seeker) find(list int, key uint32, may uint64) {
	left, old := x.Most, x.Old
	visit := func(r Ref) {
		of, i := old.at(r)
		if of == nil {
			return
		}
		digest := of.filed.bytes(x, of.digestAt(i), of.digestAt(i+1))
		is, read := digest != nil, digest != nil
		if is && list == old.bands { // which has hashes of keys
			own := of.filed.bytes(x, of.keysAt(i), of.keysAt(i+1))
			is, read = bytes.Equal(own, x.entry.Keys), own != nil
		}
		if is || !read {
			left--
		}
		if is && x.digest.Distance(digest) <= nearDigests {
			x.near = append(x.near, r)
		}
	}
	for k := len(old.blocks) - 1; k >= 0 && left > 0; k-- {
		b := old.blocks[k]
		if k < asked && may>>k&1 == 0 || !b.postings.May(list, key) {
			continue
		}
		x.places = b.find(x, list, key, &left, x.places, visit)
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
	for i := range s.Entries {
		h.mays[string(s.Entries[i].Keys)] = s.Entries[i].mays
	}
	h.Take(s.Pages)
}
