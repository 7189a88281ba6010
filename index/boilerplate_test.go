package index_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/eval/synthetic"
)

// TestCopiesAmongBoilerplate: copies are found among documents that have most of their text in common, by the default
// settings.
func TestCopiesAmongBoilerplate(t *testing.T) {
	tryCopies(t, 2000, []alike{{160, false, false, 995}, {170, false, false, 985}})
}

func TestCopiesAmongBoilerplateLong(t *testing.T) {
	tryCopies(t, 10_000, []alike{
		{160, false, false, 995},
		{160, true, false, 995},
		{160, false, true, 995},
		{170, false, false, 985},
		{170, true, false, 990},
	})
	tryCopies(t, 50_000, []alike{{160, false, false, 990}})
}

// alike says how many words of the texts are the same, whether any words are replaced or only own ones, whether common
// and own words alternate in four parts, and how many of a thousand copies must be found.
type alike struct {
	common          int
	anywhere, parts bool
	found           int
}

func tryCopies(t *testing.T, texts int, cases []alike) {
	for _, c := range cases {
		for _, mixed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/%+v/mixed=%v", texts, c, mixed), func(t *testing.T) {
				made := synthetic.Boilerplate{
					Originals: texts, Copies: texts / 10, Common: c.common, Anywhere: c.anywhere, Parts: c.parts, Mixed: mixed, Seed: 1,
				}
				all, of := made.Make()
				s, found, due, wrong := newStand(t, index.DefaultParams()), 0, 0, 0
				first, positions := map[int]bool{}, map[entry.Position]int{}
				for i, text := range all {
					v := s.judge([]byte(text))
					positions[v.Position] = of[i]
					if first[of[i]] {
						due++
					}
					switch {
					case v.Matched() && first[of[i]] && positions[v.Match.Position] == of[i]:
						found++
					case v.Matched():
						wrong++
					}
					first[of[i]] = true
				}
				stats := s.replica.Stats()
				t.Logf("%d of %d found, %d wrong; met %d, compared with %d, %d candidates left out, %d of %d unique documents cut",
					found, due, wrong, stats.Dropped+stats.Candidates, stats.Candidates, stats.Unverified, stats.UniqueCut, stats.Unique)
				if found*1000 < c.found*due || wrong > 0 {
					t.Errorf("%d of %d copies found, want %d in 1000; %d others", found, due, c.found, wrong)
				}
				if stats.UniqueCut*20 > stats.Unique {
					t.Errorf("%d of %d unique documents are cut, want at most 5 in 100", stats.UniqueCut, stats.Unique)
				}
			})
		}
	}
}

// TestLongAndIdenticalCopiesAmongBoilerplate: copies of long texts are found as well. Of texts that are kept whole most
// copies are found, and all identical ones.
func TestLongAndIdenticalCopiesAmongBoilerplate(t *testing.T) {
	tryLongCopies(t, 40, []lengthy{{"auto:3", 1500, 87}, {"char:5", 200, 86}})
}

func TestLongAndIdenticalCopiesAmongBoilerplateLong(t *testing.T) {
	tryLongCopies(t, 200, []lengthy{{"auto:3", 1500, 87}, {"auto:3", 1500, 88}, {"char:5", 200, 86}})
}

// lengthy gives the number of words of the texts, and the percentage that is the same in all.
type lengthy struct {
	shingle         string
	length, percent int
}

// tryLongCopies expects .98 of the copies of .86 similarity to be found.
func tryLongCopies(t *testing.T, copies int, cases []lengthy) {
	for _, c := range cases {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			const every = 15
			p := index.DefaultParams()
			p.Duplicates.Shingle = c.shingle
			r := rand.New(rand.NewPCG(uint64(c.percent), 4))
			own := templated(r, copies*every, c.length, c.length*c.percent/100)
			s, at := newStand(t, p), make([]entry.Position, copies*every)
			for i, text := range own {
				at[i] = s.judge([]byte(strings.Join(text, " "))).Position
			}
			found, identical := 0, 0
			for i := 0; i < len(own); i += every {
				text := own[i]
				v := s.judge([]byte(strings.Join(text, " ")))
				if v.Match.Method == compare.Identical && v.Match.Position == at[i] {
					identical++
				}
				for k := 20; k < c.length; k += 40 {
					text[k] = words(r, 1)[0]
				}
				if v = s.judge([]byte(strings.Join(text, " "))); v.Matched() && v.Match.Position == at[i] {
					found++
				}
			}
			t.Logf("of %d copies each %d edited and %d identical ones found", copies, found, identical)
			if identical < copies || found*100 < copies*98 {
				t.Errorf("%d of %d edited copies found, want 98 in 100; and %d identical ones, want all", found, copies, identical)
			}
		})
	}
}

// TestBoilerplateAsTheTwin: the twin comes to the same verdicts where keys are popular.
func TestBoilerplateAsTheTwin(t *testing.T) {
	tryTwin(t, 600, []limited{
		{"jaccard", "auto:3", 2560, 2_000_000},
		{"jaccard", "auto:3", 60, 2_000_000}, // fewer references than documents have a key
		{"jaccard", "auto:3", 2560, 6000},    // not enough work for all candidates
		{"estimate", "auto:3", 300, 40},
		{"jaccard", "char:5", 60, 2_000_000},
	})
}

func TestBoilerplateAsTheTwinLong(t *testing.T) {
	tryTwin(t, 3000, []limited{
		{"jaccard", "auto:3", 2560, 2_000_000},
		{"jaccard", "auto:3", 40, 2_000_000},
		{"estimate", "auto:3", 300, 2_000_000},
		{"jaccard", "char:5", 120, 2_000_000},
	})
}

// limited is a verification, and the bounds of its work.
type limited struct {
	verify, shingle string
	cap, work       int
}

func tryTwin(t *testing.T, texts int, cases []limited) {
	for _, c := range cases {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			p := index.DefaultParams()
			p.Duplicates.Verify, p.Duplicates.MaxReferences, p.Duplicates.MaxCandidates = c.verify, c.cap, 2
			p.Duplicates.Shingle, p.Duplicates.MaxWork = c.shingle, c.work
			all, _ := synthetic.Boilerplate{Originals: texts, Copies: texts / 5, Common: 170, Mixed: true, Seed: 3}.Make()
			s := newStand(t, p)
			twin := s.twin(p)
			cut, matched := 0, 0
			for i, text := range all {
				got := *s.judge([]byte(text))
				if want := twin.Apply(s.at, &s.record)[0]; got != want {
					t.Fatalf("text %d: got\n%+v\nthe twin says\n%+v", i, got, want)
				}
				if got.Cut {
					cut++
				}
				if got.Matched() {
					matched++
				}
			}
			t.Logf("%d cut, %d matched, %d keys popular", cut, matched, s.replica.PopularKeys())
			if matched < 15 || s.replica.PopularKeys() < 20 {
				t.Errorf("%d matched, %d keys popular: too few for a test", matched, s.replica.PopularKeys())
			}
		})
	}
}

// TestLargeClustersFillNoKeys: most texts of a large cluster have nothing of their own among what fine keys are made of.
// They are not linked under keys that all have, so that the next ones do not meet all of them. A rule that takes what is
// found first judges them.
func TestLargeClustersFillNoKeys(t *testing.T) {
	p := index.DefaultParams()
	p.Duplicates.CompareCopies, p.Duplicates.Remember = true, index.RememberParams{Memory: 8 << 30, Clock: "arrival", Refresh: "first"}
	p.Duplicates.MaxCandidates, p.Duplicates.MaxReferences = 4096, 16_384
	r, s := rand.New(rand.NewPCG(1, 2)), newStand(t, p)
	s.replica.JudgeBy(func(c *index.Candidates) bool { c.Next(nil); return true }, false)
	common, most, copies := words(r, 240), 0, 0
	for i := range 3000 {
		text := slices.Clone(common)
		text[r.IntN(len(text))] = fmt.Sprint("own", i)
		if s.judge([]byte(strings.Join(text, " "))).Matched() {
			copies++
		}
		most = max(most, s.replica.Met())
	}
	if most > 5000 || copies != 2999 || s.replica.Stats().Documents != 3000 {
		t.Errorf("a document meets %d references, want at most 5000, however many a cluster has; %d copies, want 2999", most, copies)
	}
}
