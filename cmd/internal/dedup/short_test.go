package dedup_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
)

// Names are alike in runs of two characters, whatever they are, and so many of them are candidates of each other that not
// all are read. What is planned for them still finds those of which one letter differs.
func TestCopiesAmongShortTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	syllables := strings.Fields("ka lo mi ren tas vor bel din gar hol jun pel qui sar tul wen xan yor zed fra sto ble")
	word := func() (w string) {
		for range 1 + random.IntN(3) {
			w += syllables[random.IntN(len(syllables))]
		}
		return w
	}
	const originals, copies = 12_000, 2_000
	var names []string
	for range originals {
		names = append(names, fmt.Sprintf("%s %s %s %s %d", word(), word(), word(), word(), random.IntN(1000)))
	}
	for i := range copies {
		name := []byte(names[i])
		name[random.IntN(len(name))] = 'a' + byte(random.IntN(10))
		names = append(names, string(name))
	}
	p := index.DefaultParams()
	p.Duplicates.Verify, p.Duplicates.Shingle, p.Duplicates.Threshold = "levenshtein", "char:2", 0.85
	x, err := dedup.NewIndex(dedup.IndexParams{Index: p, Settings: []byte(`{}`), Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	path := filepath.Join(t.TempDir(), "names.txt")
	if err := os.WriteFile(path, []byte(strings.Join(names, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err = judge(t.Context(), t, 2, x, func(o *dedup.Outcome) error {
		found += len(o.Matches)
		return nil
	}, path)
	if err != nil || found < copies*98/100 {
		t.Errorf("%d of %d copies are found, %v", found, copies, err)
	}
}
