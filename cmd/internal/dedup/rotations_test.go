package dedup_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/sketch"
)

// rotated judges a file by sorted rotations, of which the documents before begin are the index, and returns a line for each
// match, and the sketches.
func rotated(t *testing.T, p index.Params, distance int, begin int64, path string) (lines []string, sketches [][]byte) {
	t.Helper()
	sources, _, err := corpus.Files([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	r, err := corpus.NewReader(corpus.DefaultParams(), sources)
	if err != nil {
		t.Fatal(err)
	}
	to, err := dedup.NewRotations(p, distance)
	if err != nil {
		t.Fatal(err)
	}
	err = dedup.Run(t.Context(), dedup.Params{Index: p, Workers: 2, Sketches: true}, r, to, func(o *dedup.Outcome) error {
		if len(o.Matches) > 0 {
			t.Errorf("document %d has matches before the end", o.Number)
		}
		sketches = append(sketches, slices.Clone(o.Sketch))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if begin > 0 {
		to.Begin()
	}
	err = to.Finish(t.Context(), 2, func(number int64, found []dedup.Match) error {
		for _, m := range found {
			lines = append(lines, fmt.Sprintf("%d = %d %d", number, m.Number, m.Similarity.TenThousandths()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Finish(canceled(), 2, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	return lines, sketches
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// TestRotations finds, at a distance beyond the blocks of a SimHash, what comparing each sketch with each finds.
func TestRotations(t *testing.T) {
	const distance = 9
	p := index.DefaultParams()
	p.Similarity.Sketch, p.Similarity.Distance, p.Similarity.Verify = "simhash", 0, "estimate"
	path := articles(t, 1200)
	got, sketches := rotated(t, p, distance, 0, path)
	var want []string
	for b := range sketches {
		for a := range b {
			if d := sketch.Hamming(sketches[a], sketches[b]); d <= distance {
				want = append(want, fmt.Sprintf("%d = %d %d", b, a, (64-d)*10000/64))
			}
		}
	}
	if len(want) < 100 || !slices.Equal(got, want) {
		t.Errorf("%d matches, %d are true", len(got), len(want))
	}
	p.Similarity.Verify = "jaccard"
	verified, _ := rotated(t, p, distance, 0, path)
	exact := map[[2]int]bool{}
	for _, pair := range truth(t, path) {
		exact[[2]int{pair.B, pair.A}] = true
	}
	for _, line := range verified {
		var b, a int
		if _, err := fmt.Sscanf(line, "%d = %d", &b, &a); err != nil || !exact[[2]int{b, a}] {
			t.Errorf("%s is no true match", line)
		}
	}
	if len(verified) < len(exact)/3 {
		t.Errorf("%d verified, of %d", len(verified), len(exact))
	}
	if none, _ := rotated(t, p, distance, 1, path); len(none) > 0 {
		t.Errorf("documents of the index have %d matches among themselves", len(none))
	}
}
