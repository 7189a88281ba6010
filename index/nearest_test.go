package index_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/sketch"
)

// shares says whether two entries share a band.
func shares(a, b *entry.Entry) bool {
	for at := 0; at < len(a.Keys); at += entry.KeyBytes {
		if bytes.Equal(a.Keys[at:at+entry.KeyBytes], b.Keys[at:at+entry.KeyBytes]) {
			return true
		}
	}
	return false
}

// reworded replaces this many words, far from each other.
func reworded(r *rand.Rand, text []string, n int) []string {
	out := slices.Clone(text)
	for i, word := range words(r, n) {
		out[5+i*len(text)/n] = word
	}
	return out
}

// nearCase is how texts are made of others.
type nearCase struct {
	settings func(*index.DuplicatesParams)
	edit     func(*rand.Rand, []string) []string
	want     func(a, b string) compare.Similarity // nil: as the comparer has it
	least    int                                  // of 40 texts, so many share a band
}

// TestNearest: a text that is no copy is told the document that it was made of, with the true similarity, if both share a
// band; be it that their comparison ends early, or that their digests or lengths rule the document out.
func TestNearest(t *testing.T) {
	change := func(n int) func(*rand.Rand, []string) []string {
		return func(r *rand.Rand, text []string) []string { return reworded(r, text, n) }
	}
	cut := func(_ *rand.Rand, text []string) []string { return text[:200] }
	of := func(num, den uint32) func(a, b string) compare.Similarity {
		return func(_, _ string) compare.Similarity { return compare.Similarity{Num: num, Den: den} }
	}
	letters := func(a, b string) (s compare.Similarity) {
		s.Num, s.Den = new(sketch.Levenshtein).Similarity([]byte(a), []byte(b), 0)
		return s
	}
	for name, c := range map[string]nearCase{
		"shingles": {func(*index.DuplicatesParams) {}, change(20), of(229, 349), 15},
		"shorter":  {func(*index.DuplicatesParams) {}, cut, of(198, 289), 15},
		"text":     {func(p *index.DuplicatesParams) { p.Evidence = "text" }, change(20), of(229, 349), 15},
		"estimate": {func(p *index.DuplicatesParams) { p.Verify = "estimate" }, change(20), nil, 15},
		"hamming":  {func(p *index.DuplicatesParams) { p.Method, p.Verify = "simhash", "estimate" }, change(6), nil, 8},
		"levenshtein": {
			func(p *index.DuplicatesParams) { p.Verify, p.Shingle, p.Threshold = "levenshtein", "char:3", 0.97 },
			change(20), letters, 15,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.try(t)
		})
	}
}

func (c *nearCase) try(t *testing.T) {
	t.Helper()
	p := index.DefaultParams()
	c.settings(&p.Duplicates)
	s, r, comparer := newStand(t, p), rand.New(rand.NewPCG(37, 1)), comparerOf(t, p)
	texts, all := make([][]string, 40), make([]entry.Entry, 40)
	for i := range texts {
		texts[i] = words(r, 291)
		s.judge([]byte(strings.Join(texts[i], " ")))
		all[i] = s.record.Entries[0].Clone()
	}
	near := 0
	for i, text := range texts {
		edited := strings.Join(c.edit(r, text), " ")
		s.sign([]byte(edited))
		e := &s.record.Entries[0]
		q, _ := s.replica.Inquire(e, 1<<20)
		a := q.Answer(comparer, 5)
		if len(a.Hits) > 0 && (c.want != nil || a.Nearest != nil) { // sketches may call it a copy
			t.Fatalf("text %d is a copy: %+v", i, a)
		}
		if len(a.Hits) > 0 || !shares(e, &all[i]) {
			continue
		}
		near++
		comparer.Begin(e)
		want, _ := comparer.Measure(&all[i])
		if c.want != nil {
			want = c.want(strings.Join(text, " "), edited)
		}
		if n := a.Nearest; n == nil || n.Offset != all[i].Offset || n.Similarity != want || a.Compared == 0 || len(n.Bands) == 0 {
			t.Fatalf("text %d: nearest is %+v, %d compared; want offset %d at %v", i, n, a.Compared, all[i].Offset, want)
		}
	}
	if near < c.least {
		t.Errorf("%d texts share a band with what they are made of; want %d at least", near, c.least)
	}
}

func comparerOf(tb testing.TB, p index.Params) *compare.Comparer {
	tb.Helper()
	comparer, err := index.NewComparer(p)
	if err != nil {
		tb.Fatal(err)
	}
	return comparer
}

// TestNearestIsBounded: the nearest document is told only within the bounds of a lookup, which it does not reach for
// itself; and not beside a duplicate.
func TestNearestIsBounded(t *testing.T) {
	p := index.DefaultParams()
	r := rand.New(rand.NewPCG(37, 2))
	text := words(r, 291)
	original, near := []byte(strings.Join(text, " ")), []byte(strings.Join(text[:225], " ")) // too short by little
	nearest := func(p index.Params, text []byte, most int) (a index.Answer, ok bool) {
		s := newStand(t, p)
		s.judge(original)
		s.sign(text)
		q, ok := s.replica.Inquire(&s.record.Entries[0], most)
		if !ok {
			return a, false
		}
		return q.Answer(comparerOf(t, p), 1), true
	}
	if a, _ := nearest(p, near, 1<<20); a.Nearest == nil || len(a.Hits) > 0 || a.Cut {
		t.Fatalf("the answer is %+v; want a nearest document", a)
	}
	if a, _ := nearest(p, original, 1<<20); a.Nearest != nil || len(a.Hits) != 1 {
		t.Errorf("beside a duplicate, the answer is %+v", a)
	}
	if a, ok := nearest(p, near, 100); !ok || a.Nearest != nil || a.Cut {
		t.Errorf("within 100 bytes the answer is %+v", a)
	}
	p.Duplicates.MaxWork = 100
	if a, ok := nearest(p, near, 1<<20); !ok || a.Nearest != nil || a.Compared > 0 {
		t.Errorf("within 100 steps the answer is %+v", a)
	}
}

// BenchmarkInquire looks up a text that is no copy, among 5,000 that are unlike it and, or not, 20 that are near. One
// operation is one lookup.
func BenchmarkInquire(b *testing.B) {
	for _, verify := range []string{"jaccard", "estimate", "levenshtein"} {
		for _, near := range []int{0, 20} {
			b.Run(fmt.Sprintf("verify=%s/near=%d", verify, near), func(b *testing.B) {
				p := index.DefaultParams()
				if p.Duplicates.Verify = verify; verify == "levenshtein" {
					p.Duplicates.Shingle, p.Duplicates.Threshold = "char:5", 0.97
				}
				s, r := newStand(b, p), rand.New(rand.NewPCG(37, 3))
				text := words(r, 291)
				for range 5000 {
					s.judge([]byte(strings.Join(words(r, 291), " ")))
				}
				for range near {
					s.judge([]byte(strings.Join(reworded(r, text, 20), " ")))
				}
				s.sign([]byte(strings.Join(text, " ")))
				comparer := comparerOf(b, p)
				for b.Loop() {
					q, _ := s.replica.Inquire(&s.record.Entries[0], 1<<20)
					if a := q.Answer(comparer, 1); len(a.Hits) > 0 {
						b.Fatal("it is a copy")
					}
				}
			})
		}
	}
}
