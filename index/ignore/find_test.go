package ignore

import (
	"math/rand/v2"
	"testing"

	"github.com/unecho/unecho/index"
)

// TestCountsAreFew: where nothing is common, few shingles are counted one by one, however many there are.
func TestCountsAreFew(t *testing.T) {
	p := index.DefaultParams()
	p.Duplicates.Shingle = "char:9"
	f, err := NewFinder(p, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(39, 2))
	documents := make([][]byte, 20)
	for i := range documents {
		documents[i] = make([]byte, 30_000)
		for k := range documents[i] {
			documents[i][k] = 'a' + byte(random.IntN(26))
		}
	}
	const all = 20 * 30_000
	f.Expect(all)
	for _, pass := range []func([]byte){f.Guess, f.Count} {
		for _, d := range documents {
			pass(d)
		}
	}
	if got := len(f.counts); got > all/20 {
		t.Errorf("%d of %d shingles are counted, want 5 %% at most", got, all)
	}
	if got := 4 * len(f.cells); got > 2*all {
		t.Errorf("cells take %d bytes, want %d at most", got, 2*all)
	}
}
