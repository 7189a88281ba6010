package window

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/unecho/unecho/index/block"
)

// TestRunsList compares the lists of a run with the documents: of segments in files, in memory, and of one that entered
// memory again.
func TestRunsList(t *testing.T) {
	s := newShelved(t, 3, 5, 4, 0)
	s.insert(60)
	s.file()
	s.w.Files().BlocksOf(Sizes{Run: 8, Merge: 2, Parts: 2})
	run := s.w.Files().Due(true)
	want := make([][]block.Posting, 2*(shelvedBands+1))
	for i := range Ref(5 * 7) { // segments are numbered from 1
		place := s.all.At(i)
		d, _ := place.Document()
		for b := range shelvedBands + 1 {
			if d.Links.Own(b) {
				want[b] = append(want[b], block.Posting{Key: oldKey(place.Keys(), b, shelvedBands), At: uint32(i)})
			}
		}
		d.Links.Tags(func(tag uint32) {
			list := fineList(tag, shelvedBands)
			want[list] = append(want[list], block.Posting{Key: tag, At: uint32(i)})
		})
	}
	linked := run.Linked()
	if len(linked) == 0 || s.w.segments[0].cloneLinks() == nil || slices.Contains(linked, run.Names[0]) {
		t.Fatalf("files %v of %v are to be read; the first segment is in memory", linked, run.Names)
	}
	for _, name := range linked {
		if err := run.Read(name, s.files[name][1:]); err == nil {
			t.Errorf("a part of file %s is taken", name)
		}
		if err := run.Read(name, s.files[name]); err != nil {
			t.Error(err)
		}
	}
	if again := run.Linked(); len(again) > 0 {
		t.Errorf("files %v are to be read again", again)
	}
	if run.From != 1 || run.To != 8 || run.lists() != len(want) {
		t.Fatalf("%d lists of segments %d to %d", run.lists(), run.From, run.To)
	}
	for i := range want {
		if got := run.list(i, nil); !slices.Equal(got, want[i]) {
			t.Errorf("list %d is\n%v\nnot\n%v", i, got, want[i])
		}
	}
}

// runs says which segments blocks have, such as 1-3 4-7.
func runs(all []*Block) (text string) {
	for _, b := range all {
		text += fmt.Sprintf(" %d-%d", b.run.From, b.run.To-1)
	}
	return text
}

// TestBlocksAreDue: blocks are made as segments are sealed and lie in files, begin at multiples of their sizes, and are
// merged while the window is large enough for that.
func TestBlocksAreDue(t *testing.T) {
	s := newShelved(t, 4, 1, 10, 0)
	h := s.w.Files()
	h.BlocksOf(Sizes{Run: 4, Merge: 2, Parts: 3, Tail: 2})
	for _, c := range []struct {
		segments int // the last one is open
		want     string
	}{
		{5, ""},
		{6, " 1-3"},
		{9, " 1-3"},
		{10, " 1-3 4-7"},
		{23, " 1-3 4-7 8-11 12-15 16-19"},
		{24, " 1-7 8-15 16-19"},
		{47, " 1-7 8-15 16-23 24-31 32-39 40-43"},
		{48, " 1-15 16-31 32-39 40-43"},
	} {
		s.insert(c.segments - len(s.w.segments))
		if s.cover(); runs(h.Blocks()) != c.want {
			t.Errorf("%d segments have blocks%s, want%s", c.segments, runs(h.Blocks()), c.want)
		}
	}
	for range 20 {
		s.leave()
	}
	if got := runs(h.Blocks()); got != " 16-31 32-39 40-43" {
		t.Errorf("segments from 21 on have blocks%s", got)
	}
	stats := s.w.Stats() // segments 21 to 48, of a document each
	if b := stats.Blocks; b.Count != 3 || b.Documents != 23 || b.Uncovered != 4 || b.Bytes <= 0 || b.Bytes >= stats.FileBytes ||
		b.Memory <= 0 || b.Memory >= stats.Memory {
		t.Errorf("3 blocks find segments 21 to 43, and 4 sealed ones wait; counted is %+v", stats)
	}
}

// TestRunBeginsInTheMiddle: the first block of a window whose first segments have left begins where the window does. Of a
// segment that lies in no file there is none.
func TestRunBeginsInTheMiddle(t *testing.T) {
	s := newShelved(t, 5, 1, 10, 10)
	h := s.w.Files()
	h.BlocksOf(Sizes{Run: 8, Merge: 2, Parts: 2})
	s.insert(29) // segments 20 to 29
	if s.w.segments[0].number != 20 || h.Due(true) != nil {
		t.Fatalf("a block is due from segment %d on, and nothing lies in a file", s.w.segments[0].number)
	}
	if b := s.w.Stats().Blocks; b != (BlockStats{}) {
		t.Errorf("nothing lies in a file, and blocks have %+v", b)
	}
	s.file()
	run := h.Due(true)
	if run == nil || run.From != 20 || run.To != 24 || run.first != 19 || run.end != 23 {
		t.Fatalf("%+v is due", run)
	}
	b := s.write(run)
	s.insert(3)
	if !h.Adopt(b) {
		t.Fatal("the block is of no use")
	}
	s.same()
	if s.insert(1); len(h.Blocks()) > 0 || h.Adopt(b) {
		t.Errorf("blocks%s, and all their documents have left", runs(h.Blocks()))
	}
	s.same()
}

// TestBlocksOfNoUse: a block is of no use that leaves a gap, or whose documents are found by another one, are not there,
// or not sealed.
func TestBlocksOfNoUse(t *testing.T) {
	s := newShelved(t, 6, 1, 3, 0)
	h := s.w.Files()
	s.insert(20)
	s.file()
	made := map[string]*Block{}
	for _, c := range [][2]int{{0, 3}, {3, 5}, {5, 7}, {0, 5}, {3, 7}} {
		b := s.write(h.runOf(c[0], c[1]))
		made[fmt.Sprintf("%d-%d", c[0]+1, c[1])] = b
	}
	later := newShelved(t, 6, 1, 3, 0)
	later.insert(30)
	later.file()
	made["1-25 later"] = later.write(later.w.Files().runOf(0, 25))
	made["1-20 later"] = later.write(later.w.Files().runOf(0, 20))
	longer := newShelved(t, 6, 2, 3, 0)
	longer.insert(30)
	longer.file()
	made["1-7 longer"] = longer.write(longer.w.Files().runOf(0, 7))
	for i, c := range []struct {
		block string
		want  string
		ok    bool
	}{
		{"4-5", "", false},
		{"1-25 later", "", false},
		{"1-20 later", "", false},
		{"1-7 longer", "", false},
		{"1-3", " 1-3", true},
		{"6-7", " 1-3", false},
		{"4-5", " 1-3 4-5", true},
		{"4-5", " 1-3 4-5", true},
		{"4-7", " 1-3 4-7", true},
		{"4-5", " 1-3 4-7", false},
		{"1-5", " 1-3 4-7", false},
		{"1-3", " 1-3 4-7", true},
	} {
		if ok, got := h.Adopt(made[c.block]), runs(h.Blocks()); ok != c.ok || got != c.want {
			t.Errorf("block %d, %s, is of use: %v; there are blocks%s, want%s", i, c.block, ok, got, c.want)
		}
		s.same()
	}
}

func TestCover(t *testing.T) {
	of := func(names ...string) *Block { return &Block{run: Run{Names: names}} }
	a, bc, abc, d, bcd, zab := of("a"), of("b", "c"), of("a", "b", "c"), of("d"), of("b", "c", "x"), of("y", "z", "a", "b")
	for name, c := range map[string]struct {
		all   []*Block
		names string
		want  []*Block
	}{
		"none":                          {nil, "abc", nil},
		"of other files":                {[]*Block{of("x")}, "abc", nil},
		"the longest":                   {[]*Block{a, abc, bc}, "abcd", []*Block{abc}},
		"the longest that comes first":  {[]*Block{abc, a, d}, "abcd", []*Block{abc, d}},
		"one after another":             {[]*Block{d, bc, a}, "abcde", []*Block{a, bc, d}},
		"up to a gap":                   {[]*Block{a, d}, "abcd", []*Block{a}},
		"not beyond the end":            {[]*Block{abc, a}, "ab", []*Block{a}},
		"not with another file":         {[]*Block{bcd, a}, "abcd", []*Block{a}},
		"the first from its middle on":  {[]*Block{zab, of("c")}, "abc", []*Block{zab, of("c")}},
		"the first from its last on":    {[]*Block{abc}, "c", []*Block{abc}},
		"another not from its middle":   {[]*Block{of("a"), of("z", "b")}, "ab", []*Block{of("a")}},
		"one that goes on is preferred": {[]*Block{of("z", "a"), a, zab}, "ab", []*Block{zab}},
	} {
		var names []string
		for _, n := range c.names {
			names = append(names, string(n))
		}
		if got := Cover(c.all, names); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestBlockFilesAreChecked: what a file says of its block must be possible.
func TestBlockFilesAreChecked(t *testing.T) {
	good := Run{From: 3, To: 5, Names: []string{"a", "b"}, first: 7, end: 9}
	for name, c := range map[string]struct {
		change func(r *Run)
		file   string
		more   string
		ok     bool
	}{
		"sound":                {func(*Run) {}, "3-4.block", "", true},
		"another name":         {func(*Run) {}, "3-5.block", "", false},
		"no segment":           {func(r *Run) { r.Names = nil }, "3-2.block", "", false},
		"no document":          {func(r *Run) { r.end = r.first }, "3-4.block", "", false},
		"an impossible number": {func(r *Run) { r.end = maxRef + 1 }, "3-4.block", "", false},
		"more":                 {func(*Run) {}, "3-4.block", "x", false},
	} {
		r := good
		c.change(&r)
		postings, err := block.Write(&bytes.Buffer{}, append(r.about(), c.more...), 1, func(_ int, into []block.Posting) ([]block.Posting, error) {
			return into, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewBlock(c.file, postings)
		if (err == nil) != c.ok || c.ok && (b.first != 7 || b.end != 9 || b.run.From != 3 || b.run.To != 5 || b.File() != c.file) {
			t.Errorf("%s: block %+v, error %v", name, b, err)
		}
	}
}

// TestNewBlocksComeFirst: what is in no block yet is in memory with its keys, so it does not wait for a merge.
func TestNewBlocksComeFirst(t *testing.T) {
	s := newShelved(t, 4, 1, 10, 0)
	h := s.w.Files()
	h.BlocksOf(Sizes{Run: 1, Merge: 2, Parts: 2})
	s.insert(12)
	s.file()
	for h.dueMerge() == nil {
		if !h.Adopt(s.write(h.dueNew())) {
			t.Fatal("a block is of no use")
		}
	}
	if run := h.Due(true); len(run.Parts) > 0 {
		t.Errorf("segments %d to %d are to be merged before %d others are in a block", run.From, run.To-1, h.Uncovered())
	}
}
