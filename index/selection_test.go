package index_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// judged is the verdict on a text of these words.
func (s *stand) judged(text []string) *index.Verdict { return s.judge([]byte(strings.Join(text, " "))) }

// changed returns a text with so many of its words replaced, which are spread over it.
func changed(r *rand.Rand, text []string, n int) []string {
	text = append([]string{}, text...)
	for k := range n {
		text[k*len(text)/n+r.IntN(len(text)/n)] = words(r, 1)[0]
	}
	return text
}

// TestCopiesByFewBands: at high thresholds few bands are planned, and texts of a template may share all of them. Copies
// are found all the same.
func TestCopiesByFewBands(t *testing.T) {
	for _, c := range []struct {
		threshold  float64
		words, own int
	}{{.9, 200, 5}, {.95, 400, 5}, {.97, 600, 5}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			r, p := rand.New(rand.NewPCG(1, 2)), index.DefaultParams()
			p.Duplicates.Threshold = c.threshold
			s, template := newStand(t, p), words(r, c.words)
			all, at := make([][]string, 3000), make([]entry.Position, 3000)
			for i := range all {
				all[i] = append([]string{}, template...)
				for k := range c.own {
					all[i][(2*k+1)*c.words/(2*c.own)] = words(r, 1)[0]
				}
				at[i] = s.judged(all[i]).Position
			}
			found := 0
			for i := 0; i < len(all); i += 10 {
				if s.judged(changed(r, all[i], c.own/3+1)).Match.Position == at[i] {
					found++
				}
			}
			if found < 294 {
				t.Errorf("%d of 300 copies found, want 98 in 100 and more", found)
			}
		})
	}
}

// TestTheDeadHideNoText: documents that were forgotten stay under their keys, and hide none that comes after them.
func TestTheDeadHideNoText(t *testing.T) {
	for _, copies := range []bool{false, true} {
		t.Run(fmt.Sprintf("copies %v", copies), func(t *testing.T) {
			p := index.DefaultParams()
			p.Duplicates.CompareCopies = copies
			s, text := newStand(t, p), []byte("a text of some words, refused by its output again and again")
			for range 20 {
				at := s.judge(text).Position
				for copies && s.replica.Stats().Duplicate < 40 {
					s.judge(text)
				}
				s.at.Offset++
				s.replica.Apply(s.at, &index.Forget{Header: s.record.Header, Target: at})
			}
			s.judge(text)
			for i := range 50 {
				if v := s.judge(text); !v.Matched() {
					t.Fatalf("copy %d of the text is unique, want a match", i)
				}
			}
		})
	}
}

// TestRepeatedKeysStayPopular: with duplicates.remember.refresh: last, a template's documents that are repeated enter again and
// again, while nothing else of its kind does. Their copies are found in the end.
func TestRepeatedKeysStayPopular(t *testing.T) {
	for _, c := range []struct {
		texts, common, bands, rows, others, count, want int
	}{{300, 184, 7, 8, 6, 2000, 196}, {800, 188, 5, 12, 3, 3200, 680}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			r, p := rand.New(rand.NewPCG(1, 2)), index.DefaultParams()
			p.Duplicates.Threshold, p.Duplicates.Bands, p.Duplicates.Rows = .9, c.bands, c.rows
			p.Duplicates.Remember = index.RememberParams{Clock: "arrival", Refresh: "last", Tolerance: time.Minute, Documents: c.count}
			s, all := newStand(t, p), templated(r, c.texts, 200, c.common)
			for _, text := range all {
				s.judged(text)
			}
			all = all[100:]
			for range 9 {
				for _, text := range all {
					for range c.others {
						s.judged(words(r, 30))
					}
					s.judged(text)
				}
			}
			found := 0
			for _, text := range all {
				text = append([]string{}, text...)
				text[c.common], text[c.common+2] = words(r, 1)[0], words(r, 1)[0]
				if s.judged(text).Matched() {
					found++
				}
			}
			if popular := s.replica.PopularKeys(); popular < 5 || found < c.want {
				t.Errorf("%d keys popular and %d of %d copies found, want 5 and %d at least", popular, found, len(all), c.want)
			}
		})
	}
}

// TestLongDocumentsEnterAgainInTurn: to link a document of a template again, its fine keys are made again. Of long ones
// fewer enter again for one document.
func TestLongDocumentsEnterAgainInTurn(t *testing.T) {
	r, p := rand.New(rand.NewPCG(1, 2)), index.DefaultParams()
	p.Duplicates.Remember = index.RememberParams{Clock: "arrival", Refresh: "last", Tolerance: time.Minute, Age: 10 * time.Second}
	s, all := newStand(t, p), templated(r, 50, 8400, 6900)
	for _, from := range []int64{0, 8000} { // each is repeated
		s.at.LogAppendTime = from
		for _, text := range all {
			s.judged(text)
		}
	}
	s.at.LogAppendTime = 10_100 // older than the window by the first verdict, not by the repeat
	s.judged(words(r, 30))
	if oldest := s.replica.Stats().OldestApplied; oldest < 20 || oldest > 25 {
		t.Errorf("the document of %d ms is the oldest, want one of the 20th to the 25th ms: others entered again", oldest)
	}
}

// TestOldPopularKeysAreNoBurden: where only repeats come, no mark does. What they renew takes no room in the state.
func TestOldPopularKeysAreNoBurden(t *testing.T) {
	r, p := rand.New(rand.NewPCG(1, 2)), index.DefaultParams()
	p.Duplicates.Remember = index.RememberParams{Clock: "arrival", Refresh: "last", Tolerance: time.Minute, Age: 2 * time.Second}
	s, all := newStand(t, p), templated(r, 300, 200, 170)
	rounds := func(n int) {
		for range n {
			for _, text := range all {
				s.judged(text)
			}
		}
	}
	rounds(30)
	for range 40 {
		s.judged(words(r, 30)) // marks, and perhaps the next generation
	}
	side := func() int {
		c := s.replica.Capture()
		return len(c.State())
	}
	rounds(25)
	before := side()
	rounds(20)
	if after := side(); after > before+20_000 { // what is noted of repeats
		t.Errorf("the state takes %d bytes, and %d after 20 rounds of repeats, want at most 20000 more", before, after)
	}
}

// TestCopiesByTemplates: where many templates are in use at once, each has popular keys of its own. Copies are found as
// among texts of one.
func TestCopiesByTemplates(t *testing.T) {
	r, s := rand.New(rand.NewPCG(1, 2)), newStand(t, index.DefaultParams())
	var all [][]string
	for range 10 {
		all = append(all, templated(r, 500, 200, 170)...)
	}
	r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	at := make([]entry.Position, len(all))
	for i, text := range all {
		at[i] = s.judged(text).Position
	}
	found := 0
	for i := 0; i < len(all); i += 10 {
		text := append([]string{}, all[i]...)
		for k := range 5 {
			text[170+6*k] = words(r, 1)[0]
		}
		if s.judged(text).Match.Position == at[i] {
			found++
		}
	}
	if cut := s.replica.Stats().UniqueCut; found < 495 || cut > 20 {
		t.Errorf("%d of 500 copies found and %d texts cut, want 495 at least and 20 at most", found, cut)
	}
}

// TestCopiesOfCopiesBySimhash: a simhash has no fine keys. Copies are found by their blocks, however many have these, so
// that a text that is edited a little at a time stays one story.
func TestCopiesOfCopiesBySimhash(t *testing.T) {
	r, p := rand.New(rand.NewPCG(1, 2)), index.DefaultParams()
	p.Duplicates.Method, p.Duplicates.Verify, p.Duplicates.CompareCopies = "simhash", "estimate", true
	s, text := newStand(t, p), words(r, 400)
	s.judged(text)
	copies := make([][]string, 600)
	for i := range copies {
		copies[i] = changed(r, text, 4)
		s.judged(copies[i])
	}
	found := 0
	for _, c := range copies {
		if s.judged(changed(r, c, 4)).Matched() {
			found++
		}
	}
	if found < 440 { // 412 where copies are not linked under popular blocks
		t.Errorf("%d of 600 copies of copies found, want at least 440", found)
	}
}
