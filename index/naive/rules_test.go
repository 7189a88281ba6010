package naive_test

import (
	"slices"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// at sets the time that has passed since the story began.
func (s *story) at(d time.Duration) { s.now = start + d.Milliseconds() }

func (s *story) through(v index.Verdict, offset int64) {
	s.t.Helper()
	if !v.Reemitted || !v.Unique() || !v.Matched() || v.Match.Offset != offset {
		s.t.Errorf("offset %d: %+v, want a copy of %d that comes through", v.Offset, v, offset)
	}
}

func (s *story) plain(v index.Verdict, offset int64) {
	s.t.Helper()
	if v.Reemitted || !v.Matched() || v.Match.Offset != offset {
		s.t.Errorf("offset %d: %+v, want a duplicate of %d", v.Offset, v, offset)
	}
}

func TestRefreshByAge(t *testing.T) {
	for _, c := range []struct {
		refresh string
		kept    bool
	}{{"first", false}, {"last", true}} {
		t.Run(c.refresh, func(t *testing.T) {
			p := params()
			p.Window = index.WindowParams{Age: 10 * time.Second, Clock: "arrival", Refresh: c.refresh}
			s := begin(t, p)
			s.run(p0, 1, 0, doc(1, "ab", "one"))
			s.at(6 * time.Second)
			s.plain(s.one(doc(1, "ab", "one")), 1)
			s.at(15 * time.Second)
			v := s.one(doc(2, "ab", "one"))
			if v.Matched() != c.kept {
				t.Fatalf("9 seconds after the repeat: %+v", v)
			}
			if !c.kept {
				return
			}
			if v.Match.Copy != 3 {
				t.Errorf("copy %d: entering again, it goes on counting", v.Match.Copy)
			}
			s.at(24999 * time.Millisecond)
			s.plain(s.one(doc(3, "ab", "one")), 1)
			s.at(35 * time.Second)
			s.unique(s.one(doc(4, "ab", "one")))
		})
	}
}

func TestRefreshByCount(t *testing.T) {
	p := params()
	p.Window = index.WindowParams{Count: 2, Clock: "arrival", Refresh: "last"}
	s := begin(t, p)
	s.run(p0, 1, 0, doc(1, "ab", "one"), doc(2, "cd", "two"))
	s.plain(s.one(doc(1, "ab", "one")), 1)
	s.run(p0, 1, 0, doc(3, "ef", "three")) // two leaves; one was repeated, and enters again
	s.plain(s.one(doc(2, "ab", "one")), 1)
	s.plain(s.one(doc(3, "ef", "three")), 3)
	s.run(p0, 1, 0, doc(4, "gh", "four"), doc(5, "ij", "five")) // both had a repeat, once
	s.plain(s.one(doc(4, "gh", "four")), 4)
	s.plain(s.one(doc(5, "ij", "five")), 5)
	s.unique(s.one(doc(6, "ab", "one")))
}

// However many documents were repeated, the newest document enters, and it causes a bounded number of re-entries.
func TestReentriesAreBounded(t *testing.T) {
	const n = 2 * index.MostReentries
	p := params()
	p.Window = index.WindowParams{Count: n, Clock: "arrival", Refresh: "last"}
	s := begin(t, p)
	text := func(i int) (keys, text string) {
		return string([]byte{byte(i), byte(i)}), "text " + string(rune('a'+i))
	}
	for i := range n {
		k, x := text(i)
		s.run(p0, 1, 0, doc(int64(i), k, x))
		s.plain(s.one(doc(int64(i), k, x)), int64(i))
	}
	k, x := text(n)
	s.run(p0, 1, 0, doc(n, k, x)) // 64 enter again, the next one leaves although it was repeated
	s.plain(s.one(doc(n, k, x)), n)
	k, x = text(index.MostReentries - 1)
	s.plain(s.one(doc(n+1, k, x)), index.MostReentries-1)
	k, x = text(index.MostReentries)
	s.unique(s.one(doc(n+2, k, x)))
}

func TestKeepAll(t *testing.T) {
	for _, c := range []struct {
		keep  string
		found bool
	}{{"representatives", false}, {"all", true}} {
		t.Run(c.keep, func(t *testing.T) {
			p := params()
			p.Index.Keep = c.keep
			s := begin(t, p)
			s.run(p0, 1, 0, doc(1, "ab", "a b c d"))
			s.plain(s.one(doc(1, "ax", "a b c x y")), 1) // 3 of 6
			v := s.one(doc(2, "zx", "a x y"))            // 1 of 6, and 3 of 5 to the copy
			if v.Matched() != c.found {
				t.Fatalf("the verdict on what resembles only the copy is %+v; want a match: %t", v, c.found)
			}
			if !c.found {
				return
			}
			s.copyOf(v, 1)
			if v.Match.Similarity != (compare.Similarity{Num: 3, Den: 5}) || v.Match.Copy != 3 {
				t.Errorf("match %+v: the root, with the similarity to the nearest", v.Match)
			}
		})
	}
}

func TestKeptCopiesDieWithTheirRoot(t *testing.T) {
	grown := func(t *testing.T, change func(p *index.Params)) (*story, entry.Position) {
		p := params()
		p.Index.Keep = "all"
		change(&p)
		s := begin(t, p)
		s.run(p0, 1, 0, doc(1, "ab", "a b c d"))
		root := entry.Position{Offset: s.next - 1}
		s.at(5 * time.Second)
		s.plain(s.one(doc(1, "ax", "a b c x y")), 1)
		return s, root
	}
	t.Run("forgotten", func(t *testing.T) {
		s, root := grown(t, func(*index.Params) {})
		s.append(&index.Forget{Header: s.header(), Target: root})
		s.unique(s.one(doc(2, "ax", "a b c x y")))
	})
	t.Run("repositioned", func(t *testing.T) {
		s, _ := grown(t, func(*index.Params) {})
		s.append(&index.Reposition{Header: s.header(), Source: p0, Offset: 0, Epoch: 2})
		s.unique(s.one(doc(2, "ax", "a b c x y")))
	})
	t.Run("only the copy", func(t *testing.T) {
		s, _ := grown(t, func(*index.Params) {})
		s.append(&index.Reposition{Header: s.header(), Source: p1, Offset: 0, Epoch: 2})
		again := s.run(p1, 2, 0, doc(1, "yx", "a b c x y"))
		s.unique(again[0]) // not a copy of itself: it shares no key with the representative
	})
	t.Run("too old", func(t *testing.T) {
		s, _ := grown(t, func(p *index.Params) { p.Window.Age = 8 * time.Second })
		s.at(9 * time.Second)
		s.unique(s.one(doc(2, "ax", "a b c x y")))
	})
	t.Run("refreshed", func(t *testing.T) {
		s, _ := grown(t, func(p *index.Params) { p.Window.Age, p.Window.Refresh = 8*time.Second, "last" })
		s.at(9 * time.Second)
		s.plain(s.one(doc(2, "ax", "a b c x y")), 1)
		s.at(16 * time.Second) // the first copy has left; the second and the representative have not
		s.plain(s.one(doc(3, "bx", "a b c x y")), 1)
	})
	t.Run("no room", func(t *testing.T) {
		s, _ := grown(t, func(p *index.Params) { p.Window.Count = 2 })
		s.run(p0, 1, 0, doc(9, "qq", "other"))
		s.unique(s.one(doc(2, "ax", "a b c x y")))
	})
}

func reemitting(t *testing.T, every time.Duration) *story {
	p := params()
	p.Window.ReemitEvery = every
	s := begin(t, p)
	s.run(p0, 1, 0, doc(1, "ab", "one"))
	s.now-- // the next record comes in the same millisecond
	return s
}

func TestReemit(t *testing.T) {
	s := reemitting(t, 10*time.Second)
	began := s.now
	at := func(ms int64, offset int64) index.Verdict {
		s.now = began + ms
		return s.one(doc(offset, "ab", "one"))
	}
	s.plain(at(9999, 1), 1)
	s.through(at(10_000, 2), 1)
	s.plain(at(19_999, 3), 1)
	v := at(20_000, 4)
	s.through(v, 1)
	if v.Match.Copy != 5 {
		t.Errorf("copy %d, want 5: what comes through is a copy like any other", v.Match.Copy)
	}
	s.plain(at(20_001, 5), 1)
}

func TestEmissionsTakenBack(t *testing.T) {
	emitted := func(t *testing.T) (*story, index.Verdict) {
		s := reemitting(t, 10*time.Second)
		s.at(20 * time.Second)
		v := s.one(doc(7, "ab", "one"))
		s.through(v, 1)
		return s, v
	}
	t.Run("refused by its output", func(t *testing.T) {
		s, v := emitted(t)
		s.append(&index.Forget{Header: s.header(), Target: v.Position})
		if state, _ := s.twin.Partition(p1); !state.Held[7].Forgotten || !state.Held[7].Reemitted {
			t.Errorf("held %+v", state.Held[7])
		}
		s.through(s.one(doc(8, "ab", "one")), 1)
		s.plain(s.one(doc(9, "ab", "one")), 1)
	})
	t.Run("forgotten when it is committed", func(t *testing.T) {
		s, v := emitted(t)
		s.run(p1, 1, 8)
		s.append(&index.Forget{Header: s.header(), Target: v.Position})
		s.plain(s.run(p1, 1, 8, doc(8, "ab", "one"))[0], 1)
	})
	t.Run("to be judged again", func(t *testing.T) {
		s, _ := emitted(t)
		s.append(&index.Reposition{Header: s.header(), Source: p1, Offset: 7, Epoch: 2})
		again := s.run(p1, 2, 7, doc(7, "ab", "one"), doc(8, "ab", "one"))
		s.through(again[0], 1)
		s.plain(again[1], 1)
	})
	t.Run("repositioned beyond it", func(t *testing.T) {
		s, _ := emitted(t)
		s.run(p1, 1, 8)
		s.append(&index.Reposition{Header: s.header(), Source: p1, Offset: 8, Epoch: 2})
		s.plain(s.run(p1, 2, 8, doc(8, "ab", "one"))[0], 1)
	})
}

func TestLookup(t *testing.T) {
	p := params()
	p.Index.Keep = "all"
	s := begin(t, p)
	s.run(p0, 1, 0, doc(1, "ab", "a b c d"), doc(2, "cd", "a b c x y"))
	s.plain(s.one(doc(1, "az", "a b c d e")), 1)
	e := doc(9, "ad", "a b c d e x")
	offsets := func(most int) (all []int64) {
		for _, m := range s.twin.Lookup(&e, most) {
			all = append(all, m.Offset)
		}
		return all
	}
	before := s.twin.Stats()
	for most, want := range map[int][]int64{0: nil, 1: {1}, 2: {1, 2}, 9: {1, 2}} {
		if got := offsets(most); !slices.Equal(got, want) {
			t.Errorf("the %d nearest: %v, want %v", most, got, want)
		}
	}
	if m := s.twin.Lookup(&e, 1)[0]; m.Similarity != (compare.Similarity{Num: 5, Den: 6}) || m.Copy != 3 {
		t.Errorf("%+v: the similarity to the nearest of its kind, and the copy it would be", m)
	}
	if after := s.twin.Stats(); after != before {
		t.Errorf("a lookup counts: %+v, before %+v", after, before)
	}
	if s.twin.Lookup(&entry.Entry{}, 9) != nil {
		t.Error("an empty document is like another")
	}
}
