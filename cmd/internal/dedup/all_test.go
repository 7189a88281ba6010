package dedup_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
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
