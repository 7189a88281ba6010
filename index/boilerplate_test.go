package index_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/naive"
)

// copied makes texts of 200 words, of which the first are the same in all, and as many copies of some of them. In a
// copy, five of the other words are replaced, or five of any words; its similarity is .86. Texts and copies come in
// random order; of names for each copy its text.
func copied(r *rand.Rand, texts, copies, common int, anywhere bool) (all []string, of []int) {
	const length, replaced = 200, 5
	own := templated(r, texts, length, common)
	from := common
	if anywhere {
		from = 0
	}
	step := (length - from) / replaced
	originals := make([]int, texts, texts+copies)
	for i := range originals {
		originals[i] = i
	}
	for i := range copies {
		original := i*(texts/copies) + r.IntN(texts/copies)
		text := slices.Clone(own[original])
		for k := range replaced {
			text[from+k*step+step/2] = words(r, 1)[0]
		}
		own, originals = append(own, text), append(originals, original)
	}
	for _, i := range r.Perm(len(own)) {
		all, of = append(all, strings.Join(own[i], " ")), append(of, originals[i])
	}
	return all, of
}

// TestCopiesAmongBoilerplate: copies are found among documents that have most of their text in common, by the default
// settings.
func TestCopiesAmongBoilerplate(t *testing.T) {
	tryCopies(t, index.DefaultParams(), 3000, []alike{{170, false, 980}}) // more texts than references are read of a key
}

func TestCopiesAmongBoilerplateLong(t *testing.T) {
	tryCopies(t, index.DefaultParams(), 10_000, []alike{{160, true, 990}, {160, false, 990}, {170, true, 980}, {170, false, 940}})
	most := index.DefaultParams()
	most.Similarity.Slots, most.Similarity.Bands, most.Similarity.Rows = 128, 18, 7
	t.Run("most rows", func(t *testing.T) {
		tryCopies(t, most, 10_000, []alike{{160, true, 990}, {160, false, 990}, {170, true, 990}, {170, false, 980}})
	})
}

// alike says how many words of the texts are the same, whether any words are replaced, and how many of a thousand
// copies must be found.
type alike struct {
	common   int
	anywhere bool
	found    int
}

func tryCopies(t *testing.T, p index.Params, texts int, cases []alike) {
	copies := texts / 10
	for _, c := range cases {
		t.Run(fmt.Sprintf("common=%d/anywhere=%v", c.common, c.anywhere), func(t *testing.T) {
			all, of := copied(rand.New(rand.NewPCG(uint64(c.common), 2)), texts, copies, c.common, c.anywhere)
			s, found, wrong := newStand(t, p), 0, 0
			first, positions := map[int]bool{}, map[index.Position]int{}
			for i, text := range all {
				v := s.judge([]byte(text))
				positions[v.Position] = of[i]
				switch {
				case v.Matched() && first[of[i]] && positions[v.Match.Position] == of[i]:
					found++
				case v.Matched():
					wrong++
				case first[of[i]] && !v.Cut:
					t.Errorf("text %d is a copy that was not found, and nothing says that it was cut", i)
				}
				first[of[i]] = true
			}
			stats := s.replica.Stats()
			t.Logf("%d found, %d wrong; compared with %d, %d keys not read to the end, %d candidates left out, %d unique and cut",
				found, wrong, stats.Candidates, stats.Cut, stats.Unverified, stats.UniqueCut)
			if stats.Dropped <= stats.Candidates || stats.Work < stats.Candidates {
				t.Errorf("%d were ruled out by their outlines, %d compared in %d steps", stats.Dropped, stats.Candidates, stats.Work)
			}
			if found*1000 < c.found*copies || wrong > 0 {
				t.Errorf("%d of %d copies found, want %d in 1000; %d others", found, copies, c.found, wrong)
			}
		})
	}
}

// TestLongAndIdenticalCopiesAmongBoilerplate: copies of long texts are found as well. Of texts that are kept whole and
// have no outline, most copies are found, and all identical ones.
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
			p.Similarity.Shingle = c.shingle
			r := rand.New(rand.NewPCG(uint64(c.percent), 4))
			own := templated(r, copies*every, c.length, c.length*c.percent/100)
			s, at := newStand(t, p), make([]index.Position, copies*every)
			for i, text := range own {
				at[i] = s.judge([]byte(strings.Join(text, " "))).Position
			}
			found, identical := 0, 0
			for i := 0; i < len(own); i += every {
				text := own[i]
				v := s.judge([]byte(strings.Join(text, " ")))
				if v.Match.Method == index.Identical && v.Match.Position == at[i] {
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

// TestBoilerplateAsTheTwin: the twin comes to the same verdicts where many documents are met, however many outlines are
// remembered.
func TestBoilerplateAsTheTwin(t *testing.T) {
	tryTwin(t, 130, []remembering{
		{"jaccard", "auto:3", 8, 32, 2560, 2_000_000},
		{"jaccard", "auto:3", 0, 0, 60, 2_000_000},
		{"jaccard", "auto:3", 16, 16, 2560, 6000}, // not enough for the outlines of all that are met
		{"estimate", "auto:3", 0, 0, 300, 40},
		{"jaccard", "char:5", 0, 0, 60, 2_000_000},
	})
}

func TestBoilerplateAsTheTwinLong(t *testing.T) {
	tryTwin(t, 220, []remembering{
		{"jaccard", "auto:3", 8, 8, 2560, 2_000_000},
		{"jaccard", "auto:3", 8, 32, 2560, 2_000_000},
		{"jaccard", "auto:3", 0, 0, 120, 2_000_000},
		{"jaccard", "auto:3", 16, 16, 2560, 10_000}, // as above
		{"estimate", "auto:3", 16, 16, 300, 2_000_000},
		{"estimate", "auto:3", 0, 0, 300, 40},
		{"jaccard", "char:5", 0, 0, 120, 2_000_000},
	})
}

// remembering is a verification, the places in which outlines are remembered, and the bounds of its work.
type remembering struct {
	verify, shingle string
	places, most    int
	cap, work       int
}

func tryTwin(t *testing.T, texts int, cases []remembering) {
	for _, c := range cases {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			p := index.DefaultParams()
			p.Similarity.Verify, p.Similarity.MaxReferences, p.Similarity.MaxCandidates = c.verify, c.cap, 2
			p.Similarity.Shingle, p.Similarity.MaxWork = c.shingle, c.work
			all, _ := copied(rand.New(rand.NewPCG(3, 2)), texts, 40, 172, false)
			s := newStand(t, p)
			if c.places > 0 {
				s.replica.Forgetful(c.places, c.most)
			}
			twin := naive.New(p, settings, index.Fingerprint(settings))
			twin.Apply(index.Stamp{}, &index.Settings{Text: settings})
			twin.Apply(index.Stamp{Offset: 1}, &index.Reposition{
				Header: s.record.Header, Source: s.record.Source, Name: "news",
				Epoch: 1,
			})
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
			if matched < 15 || c.cap < texts && cut < 15 {
				t.Errorf("%d cut, %d matched: too few for a test", cut, matched)
			}
		})
	}
}
