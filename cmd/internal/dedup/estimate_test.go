package dedup_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// within is the factor that an estimate keeps to.
const within = 1.5

// textsOf makes texts of so many words, which are no copies.
func textsOf(words func(i int) int, n int) (all []string) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		var text strings.Builder
		for range words(i) {
			fmt.Fprintf(&text, "%x ", random.IntN(1<<(4*(1+random.IntN(6)))))
		}
		all = append(all, text.String())
	}
	return all
}

// file writes texts as JSONL or CSV.
func file(t *testing.T, name string, texts []string) string {
	t.Helper()
	var out bytes.Buffer
	if strings.Contains(name, ".csv") {
		out.WriteString("n,text\n")
	}
	for i, text := range texts {
		line, err := json.Marshal(map[string]string{"text": text, "id": fmt.Sprintf("document-%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(name, ".csv") {
			line = fmt.Appendf(nil, "%d,\"%s\"", i, text)
		}
		out.Write(append(line, '\n'))
	}
	var packed bytes.Buffer
	switch {
	case strings.HasSuffix(name, ".gz"):
		w := gzip.NewWriter(&packed)
		_, _ = w.Write(out.Bytes())
		_ = w.Close()
	case strings.HasSuffix(name, ".zst"):
		w, err := zstd.NewWriter(&packed)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(out.Bytes())
		_ = w.Close()
	default:
		packed = out
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// estimated are corpora whose documents are as unlike as those that people have.
func estimated(t *testing.T) map[string][]string {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 6))
	uniform := textsOf(func(int) int { return 100 }, 20_000)
	short := textsOf(func(int) int { return 4 + random.IntN(4) }, 60_000)
	skewed := textsOf(func(int) int { return min(int(20*math.Exp(1.5*random.NormFloat64())), 20_000) + 3 }, 20_000)
	sorted := slices.SortedFunc(slices.Values(skewed), func(a, b string) int { return len(a) - len(b) })
	dir := filepath.Join(t.TempDir(), "texts")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, text := range textsOf(func(int) int { return 30 + random.IntN(300) }, 500) {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return map[string][]string{
		"uniform": {file(t, "a.jsonl", uniform)}, "short": {file(t, "a.jsonl", short)}, "skewed": {file(t, "a.jsonl", skewed)},
		"sorted":    {file(t, "a.jsonl", sorted)},
		"two kinds": {file(t, "a.jsonl", uniform[:5000]), file(t, "b.jsonl", short)},
		"gzip":      {file(t, "a.jsonl.gz", uniform)}, "zstd": {file(t, "a.jsonl.zst", skewed)},
		"short gzip": {file(t, "a.jsonl.gz", short), file(t, "b.jsonl.gz", short[:90])},
		"csv":        {file(t, "a.csv", skewed)}, "articles": {articles(t, 6000)},
		"a few": {file(t, "a.jsonl", uniform[:40])}, "texts": {dir},
	}
}

// TestEstimate: documents, and the memory of the index, are as estimated, within a factor of 1.5, whatever lengths
// documents have and in whatever order; and the sample is small.
func TestEstimate(t *testing.T) {
	for name, paths := range estimated(t) {
		t.Run(name, func(t *testing.T) {
			sources, size, err := corpus.Files(paths)
			if err != nil {
				t.Fatal(err)
			}
			in := dedup.Input{Size: size, Params: corpus.DefaultParams(), Named: len(paths) > 1}
			if in.Files, err = sources.All(); err != nil {
				t.Fatal(err)
			}
			p := index.DefaultParams()
			p.Duplicates.MaxCandidates, p.Duplicates.MaxReferences = 1, 1
			x := newIndex(t, setting.GiB, false)
			e, err := in.Estimate(x.Params())
			if err != nil {
				t.Fatal(err)
			}
			_, counts, err := judge(t.Context(), t, 2, x, nil, paths...)
			if err != nil {
				t.Fatal(err)
			}
			bytes := float64(x.Stats().WindowBytes) * float64(counts.Documents) / float64(counts.Unique) // copies take none
			t.Logf("%d documents: %.3f of them; %.0f bytes: %.3f of them", counts.Documents, e.Documents/float64(counts.Documents),
				bytes, e.Bytes/bytes)
			for what, times := range map[string]float64{
				"documents": e.Documents / float64(counts.Documents), "bytes": e.Bytes / bytes,
			} {
				if !(times < within && 1/times < within) {
					t.Errorf("%s are %.2f times as many", what, times)
				}
			}
		})
	}
}
