package window

import (
	"slices"
	"testing"

	"github.com/unecho/unecho/index/entry"
)

// search is one among the documents of blocks.
func (s *shelved) search() *Search {
	return &Search{Old: s.w.Files().Old(), Most: 1000, Read: s.read, Pages: map[Want][]byte{}}
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
	by := s.search()
	by.Most = most
	by.Lookup(Sought{Entry: &entry.Entry{Keys: keys, Digest: make([]byte, entry.DigestBytes)}, Fine: []uint32{fine}})
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
