package naive_test

import (
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		name   string
		kept   []entry.Entry
		e      entry.Entry
		want   int64 // offset of the representative, -1 for unique
		num    uint32
		den    uint32
		method compare.Method
	}{
		{"identical", []entry.Entry{doc(1, "ab", "a b c")}, doc(1, "ab", "a b c"), 1, 1, 1, compare.Identical},
		{"same set in another order", []entry.Entry{doc(1, "ab", "a b c")}, doc(1, "ab", "c b a"), 1, 3, 3, compare.Jaccard},
		{"one band suffices", []entry.Entry{doc(1, "ab", "a b c")}, doc(1, "xb", "a b c d"), 1, 3, 4, compare.Jaccard},
		{"exactly at the threshold", []entry.Entry{doc(1, "ab", "a b c")}, doc(1, "ab", "a b d"), 1, 2, 4, compare.Jaccard},
		{"below it", []entry.Entry{doc(1, "ab", "a b c")}, doc(1, "ab", "a d"), -1, 0, 0, compare.NoMatch},
		{"no common key", []entry.Entry{doc(1, "ab", "a b c")}, doc(1, "ba", "a b c"), -1, 0, 0, compare.NoMatch},
		{"the most similar", []entry.Entry{doc(1, "ab", "a b c d"), doc(2, "cd", "a b c d e f g h")}, doc(1, "ad", "a b c d e f g"), 2, 7, 8, compare.Jaccard},
		{"the most similar, seen first", []entry.Entry{doc(2, "cd", "a b c d e f g h"), doc(1, "ab", "a b c x")}, doc(1, "ad", "a b c d e"), 2, 5, 8, compare.Jaccard},
		{"the first of equals", []entry.Entry{doc(2, "ab", "a b c d"), doc(1, "cd", "e f c d")}, doc(1, "ad", "a b c d e f"), 2, 4, 6, compare.Jaccard},
		{"equal fractions", []entry.Entry{doc(2, "ab", "a b x"), doc(1, "cd", "a b c d e f g x y z")}, doc(1, "ad", "a b"), 2, 2, 3, compare.Jaccard},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t, params())
			for _, v := range s.run(p0, 1, 0, c.kept...) {
				s.unique(v)
			}
			v := s.one(c.e)
			if c.want < 0 {
				s.unique(v)
				return
			}
			s.copyOf(v, c.want)
			if v.Match.Similarity != (compare.Similarity{Num: c.num, Den: c.den}) || v.Match.Method != c.method ||
				v.Match.Copy != 2 {
				t.Errorf("match %+v", v.Match)
			}
		})
	}
}

func TestMatchNamesTheRepresentative(t *testing.T) {
	s := begin(t, params())
	e := doc(7, "ab", "a b c")
	e.ID, e.Time = []byte("seven"), start-5
	s.run(p0, 1, 0, doc(6, "xy", "unrelated"), e)
	copy(e.ID, "XXXXX") // the appender's buffer is its own
	s.one(doc(1, "ab", "a b c d"))
	v := s.one(doc(2, "ab", "a b c d")) // identical to the copy, yet a copy of the representative
	want := index.Match{
		Source: p0, Topic: "news", Offset: 7, Position: entry.Position{Offset: 3, Entry: 1}, Time: start - 5, ID: "seven",
		Similarity: compare.Similarity{Num: 3, Den: 4}, Method: compare.Jaccard, Copy: 3,
	}
	if v.Match != want {
		t.Errorf("match %+v, want %+v", v.Match, want)
	}
}

func TestScopesAreSeparate(t *testing.T) {
	s := begin(t, params())
	e := doc(1, "ab", "a b c")
	s.run(p0, 1, 0, e)
	e.Scope = 5
	s.unique(s.one(e))
}

func TestEmptyIsNeverACopy(t *testing.T) {
	s := begin(t, params())
	for offset := range int64(3) {
		s.unique(s.one(entry.Entry{Offset: offset, Time: start}))
	}
	if state, _ := s.twin.Partition(p1); len(state.Held) != 3 {
		t.Errorf("held %+v: an empty document is judged like any other", state.Held)
	}
}

func TestWindow(t *testing.T) {
	// Documents 1, 2 and 3 of p0 come a second apart, and document 2 is forgotten. The cases say which of 1 and 3 can
	// still be matched.
	size := func(p index.Params) setting.Bytes {
		e := doc(1, "ab", "text 1")
		return setting.Bytes(index.EntryBytes(p, &e))
	}
	for _, c := range []struct {
		name      string
		window    func(p *index.Params)
		one, last bool
	}{
		{"age: younger than it", func(p *index.Params) { p.Window.Age = 3002 * time.Millisecond }, true, true},
		{"age: just as old", func(p *index.Params) { p.Window.Age = 3001 * time.Millisecond }, false, true},
		{"age one second", func(p *index.Params) { p.Window.Age = time.Second }, false, false},
		{"count: the dead take their place", func(p *index.Params) { p.Window.Count = 2 }, false, true},
		{"count of three", func(p *index.Params) { p.Window.Count = 3 }, true, true},
		{"bytes of three", func(p *index.Params) { p.Window.Bytes = 3 * size(*p) }, true, true},
		{"bytes of not quite three", func(p *index.Params) { p.Window.Bytes = 3*size(*p) - 1 }, false, true},
		{"bytes of less than one", func(p *index.Params) { p.Window.Bytes = size(*p) - 1 }, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := params()
			p.Window.Count = 0
			c.window(&p)
			s := begin(t, p)
			for i, text := range []string{"text 1", "drop 2", "last 3"} {
				s.run(p0, 1, 0, doc(int64(i+1), text[:1]+text[:1], text))
				s.now += 999
			}
			s.append(&index.Forget{Header: s.header(), Target: entry.Position{Offset: s.next - 2}})
			for _, w := range []struct {
				text string
				of   int64
				seen bool
			}{{"text 1", 1, c.one}, {"last 3", 3, c.last}} {
				v := s.one(doc(w.of, w.text[:1]+w.text[:1], w.text))
				if v.Unique() == w.seen {
					t.Errorf("%s: unique %v", w.text, v.Unique())
				}
			}
		})
	}
}

func TestPopularKeyIsCut(t *testing.T) {
	for _, c := range []struct {
		name string
		most int
		keys string // of the copy of document 1
		seen bool
	}{
		{"within the bound", 4, "az", true},
		{"cut, the dead and other scopes counted", 1, "az", false},
		{"found through its other band", 1, "a1", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := params()
			p.Similarity.MaxReferences = c.most
			s := begin(t, p)
			other := doc(2, "a3", "third")
			other.Scope = 9
			s.run(p0, 1, 0, doc(1, "a1", "first"), other, doc(3, "a2", "second"))
			s.append(&index.Forget{Header: s.header(), Target: entry.Position{Offset: s.next - 1, Entry: 2}})
			if v := s.one(doc(1, c.keys, "first")); v.Unique() == c.seen {
				t.Errorf("match %+v", v.Match)
			} else if v.Cut == c.seen {
				t.Errorf("cut: %v, match %+v", v.Cut, v.Match)
			}
			if cut := s.twin.Stats().Full; (cut > 0) != (c.most < 4) {
				t.Errorf("cut %d", cut)
			}
		})
	}
}

func TestEstimate(t *testing.T) {
	p := params()
	p.Similarity.Verify, p.Similarity.Slots, p.Similarity.CodeBits = "estimate", 16, 8
	s := begin(t, p)
	sketched := func(offset int64, keys string, content uint64, codes string) entry.Entry {
		return entry.Entry{
			Offset: offset, Time: start, Content: content, Keys: []byte(keys), Kind: entry.Sketch,
			Evidence: []byte(codes),
		}
	}
	s.run(p0, 1, 0, sketched(1, "ab", 1, "0123456789abcdef"))
	v := s.one(sketched(1, "ab", 2, "0123456789abxxxx"))
	s.copyOf(v, 1)
	// (12*256 - 16) / (16*255)
	if got := v.Match; got.Method != compare.Estimate || got.Similarity.TenThousandths() != 7490 {
		t.Errorf("match %+v", got)
	}
	s.unique(s.one(sketched(2, "ab", 3, "01234567xxxxxxxx"))) // 8 of 16 agree: less than half, chance taken off
	s.unique(s.one(sketched(3, "ab", 4, "short")))
	if s.twin.Stats().Unreadable == 0 {
		t.Error("evidence of another length is not counted")
	}
}

func TestUnreadableTextNeverMatches(t *testing.T) {
	s := begin(t, params())
	s.run(p0, 1, 0, doc(1, "ab", "a b c"))
	broken := doc(1, "ab", "a b d")
	broken.Evidence = []byte{0xff, 0xff, 0xff}
	s.unique(s.one(broken))
	if s.twin.Stats().Unreadable != 1 {
		t.Errorf("stats %+v", s.twin.Stats())
	}
}
