package window

import (
	"reflect"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// search looks entries up among the documents of blocks, for up to so many documents of each key.
func (s *shelved) search(most int, entries ...Sought) *Search {
	by := &Search{Old: s.w.Files().Old(), Most: most, Entries: entries}
	before := map[Want]bool{}
	by.Run(2, func(n int, do func(int)) {
		for k := range n {
			do(k)
		}
	}, func(wanted []Want) [][]byte {
		read := make([][]byte, len(wanted))
		if len(wanted) > roundPages {
			s.t.Errorf("%d pages are read in one round", len(wanted))
		}
		for i, w := range wanted {
			if before[w] {
				s.t.Errorf("%v is read again", w)
			}
			before[w] = true
			read[i], _ = s.read(w) // there is no error
		}
		return read
	})
	return by
}

// lists are what a lookup meets in each table.
func (s *shelved) lists(keys []byte) (all [][]Ref) {
	s.t.Helper()
	x := &s.w.buckets
	s.until(func() {
		all = nil
		x.Probe(keys)
		for b := range shelvedBands + 1 {
			x.Meet(b, 1000)
			var some []Ref
			for _, m := range x.Met()[len(slices.Concat(all...)):] {
				some = append(some, m.Number())
			}
			all = append(all, some)
		}
	})
	s.w.Files().Done()
	return all
}

// TestSearchSaysWhichBlocks: a search says of the oldest blocks which may have a key. The window asks these, and all that the
// search has no bit for. What was said of other blocks than those that stand now does not count.
func TestSearchSaysWhichBlocks(t *testing.T) {
	s := newShelved(t, 14, 1, 3, 0)
	h := s.w.Files()
	h.BlocksOf(Sizes{Run: 1, Merge: 2, Parts: 1000, Tail: 10})
	s.insert(150) // each in a block of its own
	s.cover()
	if b := h.Blocks(); len(b) < 2*asked || b[asked].first != asked {
		t.Fatalf("%d blocks", len(b))
	}
	keys := s.randomKeys()
	all, e := s.lists(keys), entry.Entry{Keys: keys, Digest: make([]byte, entry.DigestBytes)}
	by := s.search(1000, Sought{Entry: &e})
	if n := len(by.Pages); n != lookupPages {
		t.Errorf("%d pages are read for one entry, want %d", n, lookupPages)
	}
	for list, may := range by.Entries[0].mays {
		for k, b := range h.Blocks()[:asked] {
			if is := may>>k&1 == 1; is != b.postings.May(list, oldKey(keys, list, shelvedBands)) {
				t.Errorf("list %d of block %d may have the key: %v", list, k, is)
			}
		}
	}
	if h.Know(by); !reflect.DeepEqual(s.lists(keys), all) {
		t.Error("after a search a lookup meets others")
	}
	know := func(bits ...uint64) {
		h.Know(&Search{Old: h.Old(), Entries: []Sought{{Entry: &e, mays: bits}}})
	}
	for k := range asked {
		bits := []uint64{1 << k, 1 << (asked - 1 - k), ^(1 << k)}
		know(bits...)
		for list, got := range s.lists(keys) {
			want := slices.DeleteFunc(slices.Clone(all[list]), func(r Ref) bool { return r < asked && bits[list]>>r&1 == 0 })
			if !slices.Equal(got, want) {
				t.Errorf("of blocks %b list %d has %d, want %d", bits[list], list, got, want)
			}
		}
	}
	know(0, 0, 0)
	h.BlocksOf(Sizes{Run: 1, Merge: 2, Parts: 1000, Tail: 5})
	if s.cover(); !reflect.DeepEqual(s.lists(keys), all) {
		t.Error("what was said of other blocks counts")
	}
}

// TestCandidatesNeedNoKeys: of documents that are met under a key of one band or a fine key, a lookup reads the digests, and of
// those that are compared the records; and of each list few pages.
func TestCandidatesNeedNoKeys(t *testing.T) {
	const most = 20
	s := newShelved(t, 13, 2048, 300, 0)
	h, x := s.w.Files(), &s.w.buckets
	h.BlocksOf(Sizes{Run: 1, Merge: 2, Parts: 1000})
	s.insert(6*2048 + 1)
	s.cover()
	keys, fine := append(s.randomKeys()[:entry.KeyBytes], 0, 0, 1, 0), uint32(Tags/5+1) // none has both
	needs := func(near func(m *Met) bool) map[Want]bool {
		pages := map[Want]bool{}
		for _, m := range x.Met() {
			of := m.segment
			need := func(from, to int) {
				for page := (of.filed.head + from) / PageBytes; page*PageBytes < of.filed.head+to; page++ {
					pages[Want{of.filed.name, page}] = true
				}
			}
			if need(of.digestAt(m.i), of.digestAt(m.i+1)); near(&m) {
				need(of.at(m.i), of.at(m.i+1))
			}
		}
		return pages
	}
	same := func(how string, got map[Want][]byte, want map[Want]bool) {
		t.Helper()
		postings := 0
		for w := range got {
			if h.BlockOf(w.File) != nil {
				postings++
			} else if !want[w] {
				t.Errorf("%s %v is read", how, w)
			}
		}
		if len(got) != len(want)+postings || postings > 2*2*len(h.Blocks()) {
			t.Errorf("%s %d pages are read, %d of them of blocks, want %d", how, len(got), postings, len(want))
		}
	}
	by := s.search(most, Sought{Entry: &entry.Entry{Keys: keys, Digest: make([]byte, entry.DigestBytes)}, Fine: []uint32{fine}})
	n := 0
	s.until(func() {
		x.Probe(keys)
		n = x.Meet(0, most) + x.MeetFine(fine, most)
		for _, m := range x.Met() {
			s.w.At(m.Number()).Document()
		}
	})
	if n != 2*most || slices.ContainsFunc(x.Met(), func(m Met) bool { return m.segment.ats == nil || m.i+1 == m.segment.n }) {
		t.Fatalf("%d documents are met, not all in blocks", n)
	}
	same("in its turn", h.read, needs(func(*Met) bool { return true }))
	zero := entry.Digest{}
	same("ahead", by.Pages, needs(func(m *Met) bool { return zero.Distance(m.Digest()) <= nearDigests }))
}

// TestSearchLeavesWhatIsTooMuch: a search reads no page twice, and no more than a bound in one round. What it cannot look up to
// the end it leaves to the next search. What it has looked up wants nothing.
func TestSearchLeavesWhatIsTooMuch(t *testing.T) {
	s := newShelved(t, 16, 1, 1<<31, 0)
	h, x := s.w.Files(), &s.w.buckets
	h.BlocksOf(Sizes{Run: 64, Merge: 2, Parts: 1000, Tail: 10})
	s.insert(roundPages + 300) // each in a file of its own
	s.cover()
	var sought []Sought
	for r := range Ref(roundPages + 200) {
		sought = append(sought, Sought{Entry: &entry.Entry{Keys: s.all.At(r).Keys(), Digest: s.all.At(r).Digest()}})
	}
	by := s.search(1000, sought...)
	if n := len(by.Entries); n < roundPages/2 || n == len(sought) {
		t.Fatalf("%d of %d entries are looked up", n, len(sought))
	}
	h.Know(by)
	s.given = 0
	for _, e := range by.Entries {
		s.until(func() {
			x.Probe(e.Keys)
			x.Meet(0, 10)
			x.Meet(1, 10)
		})
	}
	if s.given > 0 {
		t.Errorf("%d pages are wanted of what was looked up", s.given)
	}
}

// TestNextKeepsWhatIsAhead: what entries have read in their turn is dropped if it is much. What was read ahead for those
// behind them is kept.
func TestNextKeepsWhatIsAhead(t *testing.T) {
	s := newShelved(t, 15, 1, 1<<31, 0)
	h, x := s.w.Files(), &s.w.buckets
	h.BlocksOf(Sizes{Run: 64, Merge: 2, Parts: 1000, Tail: 100})
	s.insert(mostKept + 300) // each in a file of its own
	s.cover()
	sought := func(r Ref) *entry.Entry { // a document that is linked under its own keys, from one on
		for s.all.At(r).segment.linked(0) {
			r++
		}
		return &entry.Entry{Keys: s.all.At(r).Keys(), Digest: s.all.At(r).Digest()}
	}
	old, tail := sought(7), sought(mostKept+250)
	s.until(func() {
		x.Want(1, func(i int) *entry.Entry {
			if i > 0 {
				return nil
			}
			return tail
		})
	})
	by := s.search(1000, Sought{Entry: old}, Sought{Entry: tail})
	if h.Know(by); s.given == 0 || len(by.Pages) == 0 {
		t.Fatalf("%d pages are read ahead of the tail, %d of old documents", s.given, len(by.Pages))
	}
	ahead := len(h.read)
	s.until(func() {
		for r := range h.tail() {
			s.w.At(r).Digest()
		}
	})
	if n := len(h.read); n <= mostKept {
		t.Fatalf("%d pages are kept", n)
	}
	if h.Next(); len(h.read) > ahead {
		t.Errorf("%d pages are kept, %d were read ahead", len(h.read), ahead)
	}
	s.given = 0
	for _, e := range []*entry.Entry{old, tail} {
		n := 0
		s.until(func() {
			x.Probe(e.Keys)
			n = x.Meet(shelvedBands, 10) + x.Meet(0, 10) + x.Meet(1, 10)
			for _, m := range x.Met() {
				s.w.At(m.Number()).Document()
			}
		})
		if n != shelvedBands+1 || s.given > 0 {
			t.Errorf("a document is met %d times by %d pages that were not kept", n, s.given)
		}
	}
}
