package window

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/wire"
)

// TestBlocksMeetWhatTablesMeet compares lookups with those in memory, while segments of some sizes are covered by blocks,
// these are merged, and their documents leave one after another.
func TestBlocksMeetWhatTablesMeet(t *testing.T) {
	for seed := range uint64(12) {
		segment := []int{1, 3, 50, 400}[seed%4]
		s := newShelved(t, seed, segment, []uint32{1, 6, 300}[seed%3], uint64(12*segment))
		for range 30 {
			if s.insert(1 + s.r.IntN(2*segment)); s.r.IntN(3) > 0 {
				s.cover()
			}
			s.same()
		}
		if len(s.w.Files().Blocks()) == 0 || s.rounds == 0 {
			t.Errorf("seed %d: %d blocks, %d rounds", seed, len(s.w.Files().Blocks()), s.rounds)
		}
	}
}

// TestWindowOfBlocksEmpties: all documents leave one after another while blocks find them, and others come.
func TestWindowOfBlocksEmpties(t *testing.T) {
	s := newShelved(t, 1, 4, 6, 0)
	s.insert(42)
	s.cover()
	if covered := s.w.Files().covered(); covered != 9 {
		t.Fatalf("blocks cover %d of the sealed segments", covered)
	}
	for s.w.Visible() > 0 {
		s.leave()
		s.same()
	}
	if n := len(s.w.Files().Blocks()); n > 0 {
		t.Errorf("%d blocks stand when all documents have left", n)
	}
	s.insert(20)
	s.cover()
	if s.same(); len(s.w.Files().Blocks()) == 0 {
		t.Error("nothing is found by blocks")
	}
}

// TestErasedUnderBlocks: a document is erased whose keys have left memory. Its segment is in memory until it lies in
// another file, and is found by the same block all the time.
func TestErasedUnderBlocks(t *testing.T) {
	s := newShelved(t, 2, 4, 3, 0)
	s.insert(40)
	s.cover()
	before := s.w.segments[3]
	if before.ats == nil || before.block != nil {
		t.Fatal("the segment of the document has its keys in memory")
	}
	targets := []entry.Position{{Offset: 13}}
	s.until(func() { s.w.Erase(targets, 100) })
	s.all.Erase(targets, 100)
	s.w.Files().Done()
	if before.ats != nil || before.away || before.filed != nil {
		t.Error("the segment still lies in its file")
	}
	whole := s.w.segments[3].view()
	other := s.all.segments[3].view()
	if !bytes.Equal(whole.Append(nil), other.Append(nil)) {
		t.Error("the segment is another one in memory")
	}
	s.same()
	blocks := len(s.w.Files().Blocks())
	s.file()
	if s.same(); before.ats == nil || len(s.w.Files().Blocks()) != blocks {
		t.Error("the segment is not found by the block in place of keys in memory")
	}
	for i := range Ref(40) {
		read := func(w *Window) (d Document) {
			place := w.At(i)
			d, _ = place.Document()
			d.Entry.Keys, d.Entry.Digest = place.Keys(), place.Digest()
			return d
		}
		var got Document
		s.until(func() { got = read(s.w) })
		if want := read(s.all); !reflect.DeepEqual(got, want) {
			t.Errorf("document %d is\n%+v\nnot\n%+v", i, got, want)
		}
	}
}

// TestPopularKeyReadsLittle: of a key that thousands of old documents have, a lookup reads no more than the newest of
// them need.
func TestPopularKeyReadsLittle(t *testing.T) {
	s := newShelved(t, 8, 512, 1, 0)
	s.w.Files().BlocksOf(Sizes{Run: 8, Merge: 2, Parts: 10})
	s.insert(20_000)
	s.cover()
	if n := len(s.w.Files().Blocks()); n < 4 {
		t.Fatalf("%d blocks", n)
	}
	for _, c := range []struct{ most, pages, rounds int }{{10, 0, 0}, {1000, 23, 2}, {3000, 63, 2}} {
		s.given, s.rounds = 0, 0
		var n int
		s.until(func() {
			s.w.buckets.Probe(s.randomKeys())
			n = s.w.buckets.Meet(shelvedBands, c.most) + s.w.buckets.Meet(0, c.most)
		})
		if s.w.Files().Done(); n != 2*c.most || s.given > c.pages || s.rounds > c.rounds {
			t.Errorf("%d documents are met by %d pages in %d rounds, not %d by %d in %d", n, s.given, s.rounds, 2*c.most, c.pages, c.rounds)
		}
	}
}

// TestKeyOfNobodyReadsLittle: blocks are seldom read for a key that no document has.
func TestKeyOfNobodyReadsLittle(t *testing.T) {
	s := newShelved(t, 11, 20, 300, 0)
	s.insert(1000)
	s.cover()
	s.keys = 1 << 32 / 2
	for range 100 {
		s.until(func() {
			s.w.buckets.Probe(s.randomKeys())
			for b := range shelvedBands + 1 {
				s.w.buckets.Meet(b, 10)
			}
		})
		s.w.Files().Done()
	}
	if most := 300 * len(s.w.Files().Blocks()) / 40; s.given > most {
		t.Errorf("300 keys in %d blocks took %d pages, want %d at most", len(s.w.Files().Blocks()), s.given, most)
	}
}

// TestLookupWantsFewAtOnce: a lookup that has to read much wants it in parts.
func TestLookupWantsFewAtOnce(t *testing.T) {
	s := newShelved(t, 9, 1, 1, 0)
	s.w.Files().BlocksOf(Sizes{Run: 8, Merge: 2, Parts: 1000})
	s.insert(3000) // each in a file of its own
	s.cover()
	n := 0
	s.until(func() {
		s.w.buckets.Probe(s.randomKeys())
		n = s.w.buckets.Meet(0, 3000)
		if wants := s.w.Files().Wanting(); wants > mostAhead+16 {
			t.Fatalf("%d pages are wanted at once", wants)
		}
	})
	s.all.buckets.Probe(s.randomKeys())
	if want := s.all.buckets.Meet(0, 3000); n != want || s.rounds < 3 {
		t.Errorf("%d documents are met in %d rounds, in memory %d", n, s.rounds, want)
	}
}

// restored restores the window with blocks for its first segments. lies says in which file a segment of a file lies.
func (s *shelved) restored(found []*Block, lies func(name string) string) (*Window, error) {
	views, _ := s.w.Capture()
	w := New(Params{Bands: shelvedBands, Share: 100})
	restore, rd := w.Restore(), wire.NewReader(s.w.Append(nil))
	if !restore.Read(&rd) {
		s.t.Fatal("the numbers cannot be read")
	}
	if restore.Found(found); w.Files().Due(true) != nil {
		s.t.Error("a block is due of no segment")
	}
	for i := range views {
		v := &views[i]
		data := s.files[v.File()]
		if v.File() == "" {
			data = v.Append(nil)
		}
		d, err := restore.Decode(data)
		if err != nil {
			return nil, err
		}
		if name := lies(v.File()); name != "" {
			d.Lies(name, data)
		}
		if err := restore.Add(d, 1); err != nil {
			return nil, err
		}
	}
	restore.Link(nil)
	return w, nil
}

// TestRestoredWithBlocks: of segments that blocks find no keys are kept, whether the blocks begin before the window or
// not. Blocks of other segments are refused.
func TestRestoredWithBlocks(t *testing.T) {
	s := newShelved(t, 10, 3, 6, 0)
	s.w.Files().BlocksOf(Sizes{Run: 4, Merge: 2, Parts: 20})
	s.insert(62)
	s.cover()
	same, blocks := func(name string) string { return name }, s.w.Files().Blocks()
	for range 8 {
		s.leave()
	}
	for n := range len(blocks) + 1 {
		w, err := s.restored(blocks[:n], same)
		if err != nil {
			t.Fatal(err)
		}
		keys := 0
		for _, of := range w.segments {
			if of.links != nil {
				t.Errorf("links of segment %d are kept", of.number)
			}
			if of.ats == nil {
				keys++
			}
		}
		if want := len(w.segments) - max(0, w.files.covered()-1); keys != want {
			t.Errorf("of %d segments keys are kept, not of %d", keys, want)
		}
		was := s.w
		s.w = w
		s.same()
		s.w = was
	}
	third := s.w.segments[3].filed.name
	for name, lies := range map[string]func(name string) string{
		"another file": func(name string) string {
			if name == third {
				return "another"
			}
			return name
		},
		"no file": func(name string) string {
			if name == third {
				return ""
			}
			return name
		},
	} {
		if _, err := s.restored(blocks, lies); !errors.Is(err, wire.ErrCorrupt) {
			t.Errorf("a block finds a segment in %s: error %v", name, err)
		}
	}
	moved := *blocks[0]
	moved.first, moved.end = moved.first+100, moved.end+100
	if _, err := s.restored([]*Block{&moved}, same); !errors.Is(err, wire.ErrCorrupt) {
		t.Errorf("a block of other documents: error %v", err)
	}
}

// TestEqualHashesAreNoKeys: a block stores a hash of all band keys together. Who has only the same hash is not met.
func TestEqualHashesAreNoKeys(t *testing.T) {
	s, seen := newShelved(t, 12, 1, 1<<31, 0), map[uint32][]byte{}
	one, other := []byte(nil), []byte(nil)
	for one == nil {
		other = s.randomKeys()
		hash := oldKey(other, shelvedBands, shelvedBands)
		one, seen[hash] = seen[hash], other
	}
	for _, keys := range [][]byte{one, other} {
		d := Document{Entry: entry.Entry{Kind: entry.Text, Evidence: []byte("text"), Keys: keys, Digest: make([]byte, entry.DigestBytes)}}
		s.w.Insert(&d)
		s.all.Insert(&d)
	}
	s.insert(6)
	s.cover()
	var n int
	s.until(func() {
		s.w.buckets.Probe(other)
		n = s.w.buckets.Meet(shelvedBands, 10)
	})
	if met := s.w.buckets.Met(); n != 1 || met[0].Number() != 1 || s.given == 0 {
		t.Errorf("%d documents are met by the keys of one, and %d pages were given", n, s.given)
	}
}
