package dedup_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/text"
)

// shared is a file of the shared data; that it is absent is said, not hidden.
func shared(t *testing.T, elements ...string) string {
	t.Helper()
	name := filepath.Join(append([]string{os.Getenv("UNECHO_TEST_DATA")}, elements...)...)
	if _, err := os.Stat(name); err != nil {
		t.Skipf("shared data absent: %s is not there; UNECHO_TEST_DATA names its directory", name)
	}
	return name
}

// pairsOf are all pairs that are found in a file, exactly and by an index that keeps all.
func pairsOf(t *testing.T, p index.Params, c corpus.Params,
	path string,
) (found map[eval.Pair]bool, exact []eval.Pair, ids []string) {
	t.Helper()
	sources, _, err := corpus.Files([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	r, err := corpus.NewReader(c, sources)
	if err != nil {
		t.Fatal(err)
	}
	shingling, err := p.Duplicates.Shingling()
	if err != nil {
		t.Fatal(err)
	}
	normalizer := text.NewNormalizer(p.Normalize)
	var sets [][]uint64
	err = corpus.Each(t.Context(), r, func(r *corpus.Record) error {
		sets = append(sets, text.Set(shingling.AppendHashes(nil, normalizer.Append(nil, r.Text))))
		ids = append(ids, string(r.Name(nil, false)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	exact = eval.NewJoin(sets, 8000).Pairs()

	p.Duplicates.CompareCopies, p.Duplicates.MaxCandidates = true, 1<<30
	x, err := dedup.NewIndex(dedup.IndexParams{Index: p, Settings: []byte("{}"), Memory: setting.GiB, All: true, Every: true, Pairs: true})
	if err != nil {
		t.Fatal(err)
	}
	if sources, _, err = corpus.Files([]string{path}); err != nil {
		t.Fatal(err)
	}
	if r, err = corpus.NewReader(c, sources); err != nil {
		t.Fatal(err)
	}
	found = map[eval.Pair]bool{}
	err = dedup.Run(t.Context(), dedup.Params{Index: p, Workers: 2}, r, x, func(o *dedup.Outcome) error {
		for _, m := range o.Matches {
			found[eval.Pair{A: int(m.Number), B: int(o.Number)}] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range exact {
		exact[i] = eval.Pair{A: exact[i].A, B: exact[i].B}
	}
	return found, exact, ids
}

// TestPublishedAds: of 2,627 advertisements, title and description by runs of 10 characters, 10,360 pairs are published
// at or above 0.8. Ours are two more, and so are those of plain sets of strings, in lower case and with single spaces.
// The published bands, and the plan, are held against all of them.
func TestPublishedAds(t *testing.T) {
	path := shared(t, "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv")
	for _, bands := range []int{0, 10} {
		p := index.DefaultParams()
		p.Duplicates.Shingle, p.Normalize.Punctuation = "char:10", "keep"
		if bands > 0 {
			p.Duplicates.Slots, p.Duplicates.Bands, p.Duplicates.Rows = 50, bands, 5
		}
		c := corpus.DefaultParams()
		c.Fields = []string{"Title", "Short Description"}
		found, exact, _ := pairsOf(t, p, c, path)
		if len(exact) != 10_362 {
			t.Errorf("%d pairs exactly", len(exact))
		}
		both := 0
		for _, pair := range exact {
			if found[pair] {
				both++
			}
		}
		t.Logf("%d bands: %d found, %d of %d", bands, len(found), both, len(exact))
		if both != len(found) || both < len(exact)*98/100 {
			t.Errorf("%d bands: %d found, %d of %d", bands, len(found), both, len(exact))
		}
	}
}

// TestPublishedArticles: all pairs that were planted among 2,500 articles, and nothing else.
func TestPublishedArticles(t *testing.T) {
	path := shared(t, "mccormick-articles", "articles_2500.train")
	found, _, ids := pairsOf(t, index.DefaultParams(), corpus.DefaultParams(), path)
	line := map[string]string{}
	for i, first := range firstWords(t, path) {
		line[ids[i]] = first
	}
	var got []string
	for pair := range found {
		both := []string{line[ids[pair.A]], line[ids[pair.B]]}
		slices.Sort(both)
		got = append(got, strings.Join(both, " "))
	}
	var want []string
	for _, both := range lines(t, shared(t, "mccormick-articles", "articles_2500.truth")) {
		ids := strings.Fields(both)
		slices.Sort(ids)
		want = append(want, strings.Join(ids, " "))
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(want) != 20 || !slices.Equal(got, want) {
		t.Errorf("found %q, planted %q", got, want)
	}
}

// firstWords are the first words of the lines of a file: there the articles have their ids.
func firstWords(t *testing.T, path string) (words []string) {
	t.Helper()
	for _, line := range lines(t, path) {
		word, _, _ := strings.Cut(line, " ")
		words = append(words, word)
	}
	return words
}

func lines(t *testing.T, path string) (all []string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in := bufio.NewScanner(file)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if len(strings.TrimSpace(in.Text())) > 0 {
			all = append(all, in.Text())
		}
	}
	if in.Err() != nil {
		t.Fatal(in.Err())
	}
	return all
}
