package index_test

import (
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// A series has the bands that a signer of the same settings plans for their window, remembers what the window's bounds
// would not, and finds as little as the bounds of a verdict allow.
func TestSeries(t *testing.T) {
	text := strings.Repeat("one two three four five six seven eight nine ten ", 2)
	p := index.DefaultParams()
	p.Duplicates.Remember.Documents, p.Duplicates.Remember.Memory = 1, 0
	for documents, work := range map[int]int{1: 2_000_000, 100_000_000: 2_000_000, 10: 1} {
		q := p
		q.Duplicates.Remember.Documents, q.Duplicates.MaxWork, q.Duplicates.Shingle = documents, work, "char:3"
		signer, err := index.NewSigner(q)
		if err != nil {
			t.Fatal(err)
		}
		entries := make([]entry.Entry, 4)
		for i, document := range []string{text + "first of all", "something else and nothing more", text + "last of all", ""} {
			signer.Sign(&entries[i], []byte(document))
		}
		verdicts, stats, err := index.JudgeAll(q, entries)
		if err != nil {
			t.Fatalf("planned for %d documents, they are not judged: %v", documents, err)
		}
		want := []int{-1, -1, 0, -1}
		if work == 1 {
			want[2] = -1
		}
		for i := range verdicts {
			if verdicts[i].CopyOf() != want[i] {
				t.Errorf("planned for %d documents, with max_work %d, document %d is a copy of %d; want %d", documents, work, i,
					verdicts[i].CopyOf(), want[i])
			}
		}
		if cut := work == 1; verdicts[2].Cut != cut || stats.UniqueCut > 0 != cut {
			t.Errorf("with max_work %d the verdict is %+v, and %d are cut; want a cut: %t", work, verdicts[2], stats.UniqueCut, cut)
		}
	}
}

// TestAgeOfTheFirstTime: a window whose oldest document was applied at time 0 has an age, and an empty one has none.
func TestAgeOfTheFirstTime(t *testing.T) {
	s, err := index.NewTimedSeries(index.DefaultParams(), []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	signer, err := index.NewSigner(s.Replica().Params())
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"", "a text of some words that is remembered", ""} { // those without words are not
		entries := []entry.Entry{{Offset: int64(i)}}
		signer.Sign(&entries[0], []byte(text))
		s.At(int64(max(0, i-1)) * 1000)
		if _, err := s.Judge(entries); err != nil {
			t.Fatal(err)
		}
		stats := s.Replica().Stats()
		if got, want := stats.Age(), time.Duration(max(0, i-1))*time.Second; got != want {
			t.Errorf("after document %d the age is %v, want %v", i, got, want)
		}
	}
	empty := index.Stats{Now: 1000}
	if age := empty.Age(); age != 0 {
		t.Errorf("an empty window has the age %v", age)
	}
}
