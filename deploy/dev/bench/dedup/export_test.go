package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExport: the exported files are what dedup reads, and the truth about it.
func TestExport(t *testing.T) {
	ads := filepath.Join(t.TempDir(), "kijiji-rome-rent")
	if err := os.Mkdir(ads, 0o750); err != nil {
		t.Fatal(err)
	}
	table := "Title\tShort Description\tLocation\na flat\tnear the park\tRome\na car\tred\tRome\nA flat\tnear the " +
		"park\tMilan\n"
	if err := os.WriteFile(filepath.Join(ads, "dataset_rent_rome_kijiji.tsv"), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := params{documents: 500, sample: 500, data: filepath.Dir(ads), dir: t.TempDir()}
	if err := export(p, dir); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, "ads.pairs"); got != "0 2\n" {
		t.Errorf("pairs of the ads: %q", got)
	}
	if got := read(t, dir, "ads.jsonl"); !strings.HasPrefix(got, `{"id":"0","text":"a flat\nnear the park"}`+"\n") ||
		strings.Count(got, "\n") != 3 {
		t.Errorf("the ads: %q", got)
	}
	if got := read(t, dir, "generated.jsonl"); strings.Count(got, "\n") != 500 {
		t.Errorf("%d lines of 500 articles", strings.Count(got, "\n"))
	}
	if got := strings.Count(read(t, dir, "generated.pairs"), "\n"); got < 50 {
		t.Errorf("%d pairs among 500 articles", got)
	}
}

// TestExportOfMany: what is not joined has the copies that were planted.
func TestExportOfMany(t *testing.T) {
	dir := t.TempDir()
	if err := export(params{documents: 500, sample: 100, data: dir, dir: t.TempDir()}, dir); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "generated.*"))
	if got := strings.Count(read(t, dir, "generated.planted"), "\n"); err != nil || got < 50 || len(names) != 2 {
		t.Errorf("%d copies among 500 articles, in %s, %v", got, names, err)
	}
}

func read(t *testing.T, elements ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestCheck counts planted copies and right matches: all that are planted with their originals, and one that is wrong.
func TestCheck(t *testing.T) {
	f, err := newArticles(400)
	if err != nil {
		t.Fatal(err)
	}
	matches, planted := map[int]int{}, 0
	for n := range 400 {
		if d := f.At(n); d.Truth.Similarity >= 0.8 {
			matches[n] = d.Truth.Of
			planted++
		}
	}
	matches[1] = 0
	delete(matches, 399)
	all, err := check(400, 1, matches)
	if err != nil || all.copies != planted || all.found < planted-1 || all.judged != len(matches) ||
		all.right < planted-1 || all.right >= len(matches) {
		t.Errorf("%+v of %d copies and %d matches, %v", all, planted, len(matches), err)
	}
	some, err := check(400, 4, matches)
	if err != nil || some.copies == 0 || some.copies > planted/2 || some.right > some.judged || some.judged > 100 {
		t.Errorf("each fourth: %+v of %d copies, %v", some, planted, err)
	}
}

// TestKept: articles that are kept are used again, and only if all of them were written.
func TestKept(t *testing.T) {
	p := params{dir: t.TempDir(), kept: filepath.Join(t.TempDir(), "kept")}
	first, err := generate(p, 10, "ignored")
	if err != nil || strings.Count(read(t, first.path), "\n") != 10 {
		t.Fatalf("generate = %+v, error %v; want a file of 10 lines", first, err)
	}
	if err := os.WriteFile(first.path, []byte("written before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again, err := generate(p, 10, "ignored"); err != nil || read(t, again.path) != "written before" {
		t.Errorf("generate again = %+v, error %v; want the file that was kept, as it was", again, err)
	}
	if names, err := filepath.Glob(filepath.Join(p.kept, "*")); err != nil || len(names) != 1 {
		t.Errorf("%q are kept, error %v; want one file", names, err)
	}
}
