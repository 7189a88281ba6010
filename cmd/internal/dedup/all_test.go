package dedup_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/text"
)

// truth returns all pairs of a file at or above the threshold, by the exact join.
func truth(t *testing.T, path string) []eval.Pair {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p := index.DefaultParams()
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		t.Fatal(err)
	}
	normalizer := text.NewNormalizer(p.Normalize)
	var sets [][]uint64
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var d struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		sets = append(sets, text.Set(shingling.AppendHashes(nil, normalizer.Append(nil, []byte(d.Text)))))
	}
	return eval.NewJoin(sets, 8000).Pairs()
}

// TestAllMatches compares the matches with all documents with the exact join.
func TestAllMatches(t *testing.T) {
	path := articles(t, 3000)
	want := map[[2]int64]bool{}
	for _, p := range truth(t, path) {
		want[[2]int64{int64(p.A), int64(p.B)}] = true
	}
	found, wrong := 0, 0
	_, _, err := judge(t.Context(), t, 2, newIndex(t, setting.GiB, true), func(o *dedup.Outcome) error {
		for _, m := range o.Matches {
			if want[[2]int64{m.Number, o.Number}] {
				found++
			} else {
				wrong++
			}
		}
		if !slices.IsSortedFunc(o.Matches, func(a, b dedup.Match) int { return int(a.Number - b.Number) }) {
			t.Errorf("document %d: its matches are not in their order", o.Number)
		}
		return nil
	}, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d pairs, %d wrong", found, len(want), wrong)
	if len(want) < 500 || wrong > 0 || found < len(want)*98/100 {
		t.Errorf("%d of %d pairs found, %d wrong", found, len(want), wrong)
	}
}

// TestEqualTextsAreOne: documents of equal text take no room in the index beyond the first, and are compared once. With
// pairs each is listed beside the others, up to a bound, and what is left out is told.
func TestEqualTextsAreOne(t *testing.T) {
	const n = 1200
	path := filepath.Join(t.TempDir(), "equal.txt")
	line := "one and the same text in every line of it\n"
	if err := os.WriteFile(path, []byte(strings.Repeat(line, n)+"one and the same text in every line of them\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		pairs        bool
		matches, cut int64
	}{
		{false, n - 1, 0},
		{true, 1000*999/2 + (n-1000)*1000, n - 1001},
	} {
		t.Run(fmt.Sprint(test.pairs), func(t *testing.T) {
			p := indexParams(setting.GiB, true)
			p.Pairs, p.Every, p.Index.Duplicates.MaxCandidates = test.pairs, test.pairs, 1000
			x, err := dedup.NewIndex(p)
			if err != nil {
				t.Fatal(err)
			}
			matches, cut := int64(0), int64(0)
			_, counts, err := judge(t.Context(), t, 1, x, func(o *dedup.Outcome) error {
				matches += int64(len(o.Matches))
				cut += map[bool]int64{true: 1}[o.Cut]
				return nil
			}, path)
			if err != nil || counts.Unique != 2 || counts.Cut != test.cut || cut != test.cut || matches != test.matches {
				t.Errorf("%+v, %d matches, %d cut, %v; want %d and %d", counts, matches, cut, err, test.matches, test.cut)
			}
			if s := x.Stats(); s.Cuts != (index.Cuts{Candidates: uint64(test.cut)}) {
				t.Errorf("%+v documents are cut, by bound; want %d for candidates", s.Cuts, test.cut)
			}
			if s := x.Stats(); s.Documents != 2 || s.Candidates > 4*n {
				t.Errorf("the index has %d documents, after %d comparisons", s.Documents, s.Candidates)
			}
		})
	}
}

// TestAllMatchesOfOneDocumentAtATime: of many equal documents each has all before it as its matches. They are in memory
// for one document at a time.
func TestAllMatchesOfOneDocumentAtATime(t *testing.T) {
	const n = 1000
	path := filepath.Join(t.TempDir(), "equal.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat("{\"text\":\"one and the same text\"}\n", n)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := reading(t, path)
	defer r.Close()
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, taken := live(), uint64(0)
	matches := 0
	p := indexParams(setting.GiB, true)
	err := dedup.Run(t.Context(), dedup.Params{Index: p.Index, Workers: 1}, r, newIndex(t, setting.GiB, true),
		func(o *dedup.Outcome) error {
			if o.Number == 0 {
				taken = max(live(), before) - before // what others left may go meanwhile
			}
			if matches += len(o.Matches); len(o.Matches) != int(o.Number) {
				t.Errorf("document %d has %d matches", o.Number, len(o.Matches))
			}
			return nil
		})
	if err != nil || matches != n*(n-1)/2 || taken > 16<<20 {
		t.Errorf("%d matches, %d bytes taken, %v", matches, taken, err)
	}
}
