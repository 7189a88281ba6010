package dedup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/eval/synthetic"
	"github.com/unecho/unecho/index/setting"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// articles is a file of articles, many of them edited copies.
func articles(t testing.TB, n int) string {
	t.Helper()
	p := synthetic.DefaultParams()
	p.Documents = n
	f, err := synthetic.NewArticles(p)
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for d, ok := f.Next(); ok; d, ok = f.Next() {
		lines.Write(d.Value())
		lines.WriteByte('\n')
	}
	path := filepath.Join(t.TempDir(), "articles.jsonl")
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newIndex makes an empty index under the default settings.
func newIndex(t *testing.T, memory setting.Bytes, all bool) *dedup.Index {
	t.Helper()
	x, err := dedup.NewIndex(indexParams(memory, all))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func indexParams(memory setting.Bytes, all bool) dedup.IndexParams {
	p := index.DefaultParams()
	if all {
		p.Duplicates.CompareCopies, p.Duplicates.MaxCandidates = true, math.MaxInt32
	}
	return dedup.IndexParams{Index: p, Settings: []byte(`{"all":` + fmt.Sprint(all) + "}"), Memory: memory, All: all, Every: all, Pairs: all}
}

// judge reads files and returns a line for each outcome.
func judge(ctx context.Context, t *testing.T, workers int, to dedup.Judge, each func(*dedup.Outcome) error,
	paths ...string,
) ([]string, dedup.Counts, error) {
	t.Helper()
	r := reading(t, paths...)
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	var (
		lines  []string
		counts dedup.Counts
	)
	p := dedup.Params{Index: index.DefaultParams(), Workers: workers}
	err := dedup.Run(ctx, p, r, to, func(o *dedup.Outcome) error {
		line := fmt.Sprintf("%d %s", o.Number, o.Name)
		if o.Rejected != nil {
			line += " rejected"
		}
		for _, m := range o.Matches {
			line += fmt.Sprintf(" = %d %s %d %s", m.Number, m.Name, m.Similarity.TenThousandths(), m.Method)
		}
		lines = append(lines, line)
		counts.Add(o)
		if each != nil {
			return each(o)
		}
		return nil
	})
	return lines, counts, err
}

// TestWorkersChangeNothing compares one worker with several: the outcomes must be the same, in the same order.
func TestWorkersChangeNothing(t *testing.T) {
	path := articles(t, 2000)
	one, counts, err := judge(t.Context(), t, 1, newIndex(t, setting.GiB, false), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	if counts.Documents != 2000 || counts.Duplicate < 200 || counts.Unique < 1000 || counts.Rejected != 0 {
		t.Fatalf("one worker counts %+v; want 2000 documents, 200 duplicates or more, 1000 unique or more, and none rejected", counts)
	}
	for _, workers := range []int{2, 5} {
		several, _, err := judge(t.Context(), t, workers, newIndex(t, setting.GiB, false), nil, path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(several, "\n") != strings.Join(one, "\n") {
			t.Errorf("%d workers come to other verdicts than one", workers)
		}
	}
	twice, again, err := judge(t.Context(), t, 2, newIndex(t, setting.GiB, false), nil, path, path)
	if err != nil || again.Documents != 4000 || again.Unique != counts.Unique {
		t.Fatalf("read twice: %+v, %v", again, err)
	}
	for i, line := range twice[2000:] {
		if !strings.Contains(line, " = ") {
			t.Fatalf("document %d, read a second time, has no match: %s", i, line)
		}
	}
}

func TestRunEnds(t *testing.T) {
	path := articles(t, 1500)
	stop := errors.New("enough")
	n := 0
	_, _, err := judge(t.Context(), t, 2, newIndex(t, setting.GiB, false), func(*dedup.Outcome) error {
		if n++; n == 100 {
			return stop
		}
		return nil
	}, path)
	if !errors.Is(err, stop) || n != 100 {
		t.Errorf("after %d outcomes: %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if lines, _, err := judge(ctx, t, 2, newIndex(t, setting.GiB, false), nil, path); err != nil || len(lines) == 1500 {
		t.Errorf("a run that was stopped: %d outcomes, %v", len(lines), err)
	}
	if _, _, err := judge(t.Context(), t, 2, newIndex(t, 100*setting.KiB, false), nil, path); !errors.Is(err,
		dedup.ErrMemory) {
		t.Errorf("100 KiB: %v", err)
	}
	same := filepath.Join(t.TempDir(), "same.txt")
	if err := os.WriteFile(same, []byte(strings.Repeat("the same words in each line\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := judge(t.Context(), t, 2, newIndex(t, 100*setting.KiB, true), nil, path); !errors.Is(err,
		dedup.ErrMemory) {
		t.Errorf("100 KiB of copies: %v", err)
	}
	table := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(table, []byte("text,id\na,b\nc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if lines, _, err := judge(t.Context(), t, 2, newIndex(t, setting.GiB, false), nil, table); err != nil ||
		len(lines) != 2 {
		t.Errorf("a broken table: %d outcomes, %v", len(lines), err)
	}
}

// TestRunStops: a stopped run judges nothing more where a document may take long, and little otherwise, although chunks
// are waiting.
func TestRunStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "same.txt")
	if err := os.WriteFile(path, []byte(strings.Repeat("the same words in each line\n", 2000)), 0o600); err != nil {
		t.Fatal(err)
	}
	levenshtein := indexParams(setting.GiB, false)
	levenshtein.Index.Duplicates.Verify, levenshtein.Index.Duplicates.Evidence = "levenshtein", "text"
	levenshtein.Index.Duplicates.Bands, levenshtein.Index.Duplicates.Rows = 18, 7
	for _, test := range []struct {
		name   string
		params dedup.IndexParams
		most   int
	}{
		{"best", indexParams(setting.GiB, false), 500},
		{"all", indexParams(setting.GiB, true), 100},
		{"levenshtein", levenshtein, 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			x, err := dedup.NewIndex(test.params)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			n := 0
			lines, _, err := judge(ctx, t, 2, x, func(*dedup.Outcome) error {
				if n++; n == 100 {
					cancel()
				}
				return nil
			}, path)
			if err != nil || len(lines) < 100 || len(lines) > test.most {
				t.Errorf("stopped after 100 documents: %d outcomes, %v", len(lines), err)
			}
		})
	}
}

// TestWholeFiles: the content of a file that is one document is kept if that is asked for, but never if it is rejected.
func TestWholeFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.txt": "one text\n", "b.txt": strings.Repeat("x", 2<<20),
		"c.txt": "another text\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for whole, want := range map[bool]string{false: " 9 | 0 | 13 |", true: "one text\n 9 | 0 |another text\n 13 |"} {
		r := reading(t, dir)
		got := ""
		err := dedup.Run(t.Context(), dedup.Params{Index: index.DefaultParams(), Workers: 2, Whole: whole}, r,
			newIndex(t, setting.GiB, false), func(o *dedup.Outcome) error {
				got += fmt.Sprintf("%s %d |", o.Raw, o.Length)
				return nil
			})
		if err != nil || got != want {
			t.Errorf("whole %v: %q, %v; want %q", whole, got, err, want)
		}
	}
}

func reading(t testing.TB, paths ...string) *corpus.Reader {
	t.Helper()
	sources, _, err := corpus.Files(paths)
	if err != nil {
		t.Fatal(err)
	}
	r, err := corpus.NewReader(corpus.DefaultParams(), sources)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// BenchmarkRun judges articles of 1.6 kB, a fifth of them copies, from their file, with one worker.
func BenchmarkRun(b *testing.B) {
	const documents = 20_000
	path := articles(b, documents)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	p := index.DefaultParams()
	for b.Loop() {
		r := reading(b, path)
		x, err := dedup.NewIndex(dedup.IndexParams{Index: p, Settings: []byte("{}"), Memory: setting.GiB})
		if err != nil {
			b.Fatal(err)
		}
		if err := dedup.Run(b.Context(), dedup.Params{Index: p, Workers: 1}, r, x,
			func(*dedup.Outcome) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/documents, "ns/document")
}
