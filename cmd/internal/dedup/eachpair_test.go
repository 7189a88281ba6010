package dedup_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
)

// eachPair compares SimHashes of 64 bits.
func eachPair(t *testing.T, distance int, verify string, pairs bool) (*dedup.EachPair, index.Params) {
	t.Helper()
	p := index.DefaultParams()
	p.Duplicates.Method, p.Duplicates.Distance, p.Duplicates.Verify = "simhash", 0, verify
	to, err := dedup.NewEachPair(dedup.EachPairParams{Index: p, Distance: distance, Memory: setting.GiB, Pairs: pairs})
	if err != nil {
		t.Fatal(err)
	}
	return to, p
}

// gather gives a file to be compared, and calls each for its documents.
func gather(t *testing.T, to *dedup.EachPair, p index.Params, path string, each func(*dedup.Outcome)) error {
	t.Helper()
	r := reading(t, path)
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	return dedup.Run(t.Context(), dedup.Params{Index: p, Workers: 2, Sketches: true}, r, to, func(o *dedup.Outcome) error {
		if len(o.Matches) > 0 {
			t.Errorf("document %d has matches before the end", o.Number)
		}
		each(o)
		return nil
	})
}

func unseen(_, _ int64) {}

// finished are the matches, a line for each.
func finished(t *testing.T, to *dedup.EachPair) (lines []string) {
	t.Helper()
	err := to.Finish(t.Context(), 2, unseen, func(number int64, found []dedup.Match) error {
		for _, m := range found {
			lines = append(lines, fmt.Sprintf("%d = %d %d", number, m.Number, m.Similarity.TenThousandths()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Finish(canceled(), 2, unseen, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	return lines
}

// compared judges a file and returns a line for each match, and the sketches.
func compared(t *testing.T, distance int, verify, path string) (lines []string, sketches [][]byte) {
	t.Helper()
	to, p := eachPair(t, distance, verify, true)
	if err := gather(t, to, p, path,
		func(o *dedup.Outcome) { sketches = append(sketches, slices.Clone(o.Sketch)) }); err != nil {
		t.Fatal(err)
	}
	return finished(t, to), sketches
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// TestEachPair finds, at a distance beyond the blocks of a SimHash, what a double loop over the sketches finds.
func TestEachPair(t *testing.T) {
	const distance = 9
	path := articles(t, 1200)
	got, sketches := compared(t, distance, "estimate", path)
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
	verified, _ := compared(t, distance, "jaccard", path)
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
}

// repeated is a file of texts, of which many are equal to others and many nearly so.
func repeated(t *testing.T, seed uint64, n int) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 2))
	var lines strings.Builder
	for range n {
		words := strings.Fields(strings.Repeat("a text that many have sent before and that is long enough to have a sketch ", 3))
		words[random.IntN(len(words))] = fmt.Sprint(random.IntN(4))
		words[random.IntN(4)] = fmt.Sprint(random.IntN(3))
		fmt.Fprintf(&lines, "{\"text\":%q}\n", strings.Join(words, " "))
	}
	path := filepath.Join(t.TempDir(), "repeated.jsonl")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEachPairAgainstAnIndex holds the matches of equal and near texts, behind an index of such, against a double
// loop; and what tells the clusters against all matches.
func TestEachPairAgainstAnIndex(t *testing.T) {
	const old, judged, distance = 150, 300, 12
	run := func(pairs bool) (lines []string, g *dedup.Groups, sketches [][]byte) {
		to, p := eachPair(t, distance, "estimate", pairs)
		keep := func(o *dedup.Outcome) { sketches = append(sketches, slices.Clone(o.Sketch)) }
		err := gather(t, to, p, repeated(t, 1, old), keep)
		to.Begin()
		g = dedup.NewGroups(dedup.First, to.First())
		err = errors.Join(err, gather(t, to, p, repeated(t, 2, judged), func(o *dedup.Outcome) { keep(o); g.Add(o) }))
		err = errors.Join(err, to.Finish(t.Context(), 2, unseen, func(number int64, found []dedup.Match) error {
			for i := range found {
				lines = append(lines, fmt.Sprintf("%d = %d", number, found[i].Number))
				g.Join(number, &found[i])
			}
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		g.Choose()
		return lines, g, sketches
	}
	all, groups, sketches := run(true)
	var want []string
	for b := old; b < old+judged; b++ {
		for a := range b {
			if sketch.Hamming(sketches[a], sketches[b]) <= distance {
				want = append(want, fmt.Sprintf("%d = %d", b, a))
			}
		}
	}
	if len(want) < 1000 || !slices.Equal(all, want) {
		t.Errorf("%d matches, %d are true", len(all), len(want))
	}
	some, fewer, _ := run(false)
	for i := int64(old); i < old+judged; i++ {
		if groups.Cluster(i) != fewer.Cluster(i) || groups.Cluster(i) != i &&
			fmt.Sprint(groups.Partner(i)) != fmt.Sprint(fewer.Partner(i)) {
			t.Errorf("document %d: cluster %d by all matches, %d by some", i, groups.Cluster(i), fewer.Cluster(i))
		}
	}
	if len(some) >= len(all)-1000 {
		t.Errorf("%d matches of %d tell the clusters", len(some), len(all))
	}
}

// TestEachPairLead: a copy of a document of the index is like what that one is like, in the index too.
func TestEachPairLead(t *testing.T) {
	var words []string
	for i := range 60 {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	near := append(slices.Clone(words), "more")
	write := func(name string, texts ...[]string) string {
		path := filepath.Join(t.TempDir(), name)
		var lines strings.Builder
		for _, text := range texts {
			fmt.Fprintf(&lines, "{\"text\":%q}\n", strings.Join(text, " "))
		}
		if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, judged := write("old.jsonl", words, near), write("new.jsonl", near, near)
	for _, pairs := range []bool{true, false} {
		to, p := eachPair(t, 14, "estimate", pairs)
		err := gather(t, to, p, old, func(*dedup.Outcome) {})
		to.Begin()
		g := dedup.NewGroups(dedup.First, to.First())
		err = errors.Join(err, gather(t, to, p, judged, g.Add),
			to.Finish(t.Context(), 1, unseen, func(number int64, found []dedup.Match) error {
				for i := range found {
					g.Join(number, &found[i])
				}
				return nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		g.Choose()
		if g.Cluster(2) != 0 || g.Cluster(3) != 0 || g.Partner(2).Number != 1 || g.Partner(3).Number != 1 {
			t.Errorf("all pairs %v: clusters %d and %d, partners %d and %d", pairs, g.Cluster(2), g.Cluster(3), g.Partner(2).
				Number, g.Partner(3).Number)
		}
	}
}

// TestEachPairKeepWithinMemory: equal texts, however many, take a place each; near ones as many as there is room for,
// and whoever waits for them can stop.
func TestEachPairKeepWithinMemory(t *testing.T) {
	equal := filepath.Join(t.TempDir(), "equal.jsonl")
	if err := os.WriteFile(equal, []byte(strings.Repeat("{\"text\":\"the same text again and again\"}\n", 30_000)),
		0o600); err != nil {
		t.Fatal(err)
	}
	within := func(memory setting.Bytes, path string) (*dedup.EachPair, error) {
		p := index.DefaultParams()
		p.Duplicates.Method, p.Duplicates.Distance, p.Duplicates.Verify = "simhash", 0, "estimate"
		to, err := dedup.NewEachPair(dedup.EachPairParams{Index: p, Distance: 14, Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		return to, gather(t, to, p, path, func(*dedup.Outcome) {})
	}
	to, err := within(3*setting.MiB, equal)
	matches := 0
	if err != nil || to.Finish(t.Context(), 2, unseen,
		func(_ int64, found []dedup.Match) error { matches += len(found); return nil }) != nil || matches != 29_999 {
		t.Errorf("equal texts: %d matches, %v", matches, err)
	}
	if _, err := within(setting.MiB, equal); !errors.Is(err, dedup.ErrMemory) {
		t.Errorf("more documents than there is room for: %v", err)
	}
	near := repeated(t, 3, 3000)
	to, err = within(4*setting.MiB, near)
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Finish(t.Context(), 2, unseen, nil); !errors.Is(err, dedup.ErrMemory) {
		t.Errorf("more pairs than there is room for: %v", err)
	}
	to, _ = within(setting.GiB, near)
	ctx, stop := context.WithCancel(t.Context())
	last, of := int64(0), int64(0)
	err = to.Finish(ctx, 1, func(done, all int64) {
		if last, of = done, all; done >= all/30 { // soon after it began
			stop()
		}
	}, nil)
	if !errors.Is(err, context.Canceled) || last == 0 || last >= of/30+256 {
		t.Errorf("stopped after %d of %d comparisons: %v", last, of, err)
	}
}
