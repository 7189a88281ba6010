package dedup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/cmd/internal/feed"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// articles is a file of articles, many of them edited copies.
func articles(t *testing.T, n int) string {
	t.Helper()
	p := feed.DefaultParams()
	p.Documents = n
	f, err := feed.New(p)
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

// judge reads files and returns a line for each outcome.
func judge(ctx context.Context, t *testing.T, workers int, memory setting.Bytes, each func(*dedup.Outcome) error, paths ...string) ([]string, dedup.Counts, error) {
	t.Helper()
	sources, _, err := corpus.Files(paths)
	if err != nil {
		t.Fatal(err)
	}
	r, err := corpus.NewReader(corpus.DefaultParams(), sources)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	j, err := dedup.NewJudge(index.DefaultParams(), memory)
	if err != nil {
		t.Fatal(err)
	}
	var (
		lines  []string
		counts dedup.Counts
	)
	err = dedup.Run(ctx, dedup.Params{Index: index.DefaultParams(), Workers: workers}, r, j, func(o *dedup.Outcome) error {
		line := fmt.Sprintf("%d %s", o.Number, o.Name)
		if o.Rejected != nil {
			line += " rejected"
		}
		if o.Match != nil {
			line += fmt.Sprintf(" = %d %s %d %s", o.Match.Offset, o.Match.ID, o.Match.Similarity.TenThousandths(), o.Match.Method)
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

// TestWorkersChangeNothing holds one worker against several: what falls must be the same, in the same order.
func TestWorkersChangeNothing(t *testing.T) {
	path := articles(t, 2000)
	one, counts, err := judge(context.Background(), t, 1, setting.GiB, nil, path)
	if err != nil {
		t.Fatal(err)
	}
	if counts.Documents != 2000 || counts.Duplicate < 200 || counts.Unique < 1000 || counts.Rejected != 0 {
		t.Fatalf("%+v", counts)
	}
	for _, workers := range []int{2, 5} {
		several, _, err := judge(context.Background(), t, workers, setting.GiB, nil, path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(several, "\n") != strings.Join(one, "\n") {
			t.Errorf("%d workers come to other verdicts than one", workers)
		}
	}
	twice, again, err := judge(context.Background(), t, 2, setting.GiB, nil, path, path)
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
	_, _, err := judge(context.Background(), t, 2, setting.GiB, func(*dedup.Outcome) error {
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
	if lines, _, err := judge(ctx, t, 2, setting.GiB, nil, path); err != nil || len(lines) == 1500 {
		t.Errorf("a run that was stopped: %d outcomes, %v", len(lines), err)
	}
	if _, _, err := judge(context.Background(), t, 2, 100*setting.KiB, nil, path); !errors.Is(err, dedup.ErrMemory) {
		t.Errorf("100 KiB: %v", err)
	}
	table := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(table, []byte("text,id\na,b\nc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if lines, _, err := judge(context.Background(), t, 2, setting.GiB, nil, table); err == nil || len(lines) != 1 {
		t.Errorf("a broken table: %d outcomes, %v", len(lines), err)
	}
}

func TestGroups(t *testing.T) {
	for _, test := range []struct {
		choice dedup.Representative
		want   [5]int
	}{{dedup.First, [5]int{0, 1, 0, 0, 4}}, {dedup.Last, [5]int{3, 1, 3, 3, 4}}, {dedup.Longest, [5]int{2, 1, 2, 2, 4}}} {
		g := dedup.NewGroups(test.choice)
		for i, raw := range []string{"aa", "bbbb", "cccc", "cccc", "d"} {
			g.Add(&dedup.Outcome{Number: int64(i), Name: []byte(strings.Repeat("n", i)), Raw: []byte(raw)})
		}
		g.Join(0, 2, index.Similarity{Num: 8, Den: 10}, index.Jaccard)
		g.Join(2, 3, index.Similarity{Num: 1, Den: 1}, index.Identical)
		g.Choose()
		for i, want := range test.want {
			if got := g.Cluster(i); got != want || len(g.Name(i)) != i {
				t.Errorf("choice %d: document %d is in the cluster of %d, want %d", test.choice, i, got, want)
			}
		}
		if other, similarity, method := g.Partner(2); other != 3 || similarity.Num != 1 || method != index.Identical {
			t.Errorf("partner %d, %v, %v", other, similarity, method)
		}
	}
}
