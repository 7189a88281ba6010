package dedup_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

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
