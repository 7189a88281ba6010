package dedup_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/filter"
	"github.com/unecho/unecho/index/setting"
)

// TestFilterDecidesAlike: a program that uses index/filter gets the verdicts of dedup about the documents of a file.
func TestFilterDecidesAlike(t *testing.T) {
	for name, change := range map[string]func(*index.Params){
		"service":     func(*index.Params) {},
		"files":       func(p *index.Params) { *p = index.DefaultFileParams() },
		"loose":       func(p *index.Params) { p.Duplicates.Threshold = 0.5 },
		"estimate":    func(p *index.Params) { p.Duplicates.Verify = "estimate" },
		"levenshtein": func(p *index.Params) { p.Duplicates.Verify, p.Duplicates.Shingle = "levenshtein", "char:4" },
	} {
		t.Run(name, func(t *testing.T) {
			p := index.DefaultParams()
			change(&p)
			paths := map[string]string{"articles": articles(t, 1000), "adverts": "../../../deploy/examples/ads.jsonl"}
			for what, path := range paths {
				x, err := dedup.NewIndex(dedup.IndexParams{Index: p, Settings: p.Settings(), Memory: setting.GiB})
				if err != nil {
					t.Fatal(err)
				}
				want, counts, err := judge(t.Context(), t, 2, x, nil, path)
				if err != nil || counts.Duplicate == 0 {
					t.Fatalf("%s: dedup counts %+v, error %v; want copies", what, counts, err)
				}
				if got := filtered(t, p, path); strings.Join(got, "\n") != strings.Join(want, "\n") {
					t.Errorf("%s: the filter says\n%s\nand dedup\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		})
	}
}

// filtered has a filter whose window has room for all judge the documents of a file.
func filtered(t *testing.T, p index.Params, path string) (lines []string) {
	t.Helper()
	p, err := p.ForFiles(nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Duplicates.Remember.Age, p.Duplicates.Remember.Memory, p.Duplicates.Remember.Documents = 0, 0, 1<<30
	f, err := filter.New(p)
	if err != nil {
		t.Fatal(err)
	}
	err = corpus.Each(t.Context(), reading(t, path), func(r *corpus.Record) error {
		v, err := f.Judge(filter.Document{ID: string(r.Name(nil, false)), Text: r.Text})
		line := fmt.Sprintf("%d %s", v.Number, r.Name(nil, false))
		if v.Copy {
			line += fmt.Sprintf(" = %d %s %.0f %s", v.Of.Number, v.Of.ID, v.Similarity*10_000, v.Method)
		}
		lines = append(lines, line)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
